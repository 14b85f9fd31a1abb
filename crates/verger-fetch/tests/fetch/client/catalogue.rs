//! Each entry of the catalogue of HTTP, redirects, FTP and DNS, through the client, in one access
//! profile, half of them in the default one; in the thorough suite in every profile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use verger::access::{Kind, Profile, Stale};
use verger::{Origin, Reason};
use verger_fetch::client::{CheckError, RobotsClient};
use verger_fetch::decision::Decision;
use verger_fetch::failure::Failure;
use verger_fetch::record::{File, RedirectChain};
use verger_testkit::generate::is_thorough;
use verger_testkit::server::catalogue::{Ask, Attack, Class, Flag, Observed, Retry, entries};

use crate::client::world::{client, run, short, test_each};

#[test]
fn every_entry_is_handled() {
    test_each(entries().iter().enumerate().collect(), |(at, entry)| {
        let what = format!("{} {}", entry.id, entry.what);
        let wrong = run(wrong(at, entry));
        if wrong.is_empty() { Ok(()) } else { Err(format!("{what}: {}", wrong.join("; "))) }
    });
}

/// The errors in each profile, run concurrently because most of the time is waiting.
async fn wrong(at: usize, entry: &'static Attack) -> Vec<String> {
    let mut tasks = JoinSet::new();
    let other = Profile::ALL[at / 2 % Profile::ALL.len()];
    let one = if at.is_multiple_of(2) { Profile::default() } else { other };
    for profile in Profile::ALL.into_iter().filter(|it| is_thorough() || *it == one) {
        tasks.spawn(wrong_in(profile, entry));
    }
    tasks.join_all().await.concat()
}

async fn wrong_in(profile: Profile, entry: &Attack) -> Vec<String> {
    let (mut wrong, mut is_late) = try_in(profile, entry).await;
    // Many entries at once can keep a busy machine from answering within the short waits.
    for _ in 0..MAX_REPEATS {
        if wrong.is_empty() || !is_late {
            break;
        }
        (wrong, is_late) = try_in(profile, entry).await;
    }
    wrong
}

/// The errors in a profile, and whether a time limit was reached.
async fn try_in(profile: Profile, entry: &Attack) -> (Vec<String>, bool) {
    let world = Arc::new(entry.start().await.unwrap());
    let client = client(&world).access(profile).limits(short()).build().unwrap();
    // REP-CACHE-28: without an answer of another host, the client's own network may be down.
    client.report_available(&Origin::from_parts("http", "other.example", None).unwrap(), 200);
    let mut observed = Vec::new();
    for ask in &entry.asks {
        observed.push(observe(&client, ask).await);
    }
    let wrong = if profile == Profile::default() {
        entry.judge(&world, &observed)
    } else {
        entry.judge_in(profile.name, &world, &observed)
    };
    let late = ["took too long", "the server stopped sending data"];
    let is_late = |shown: &String| late.iter().any(|text| shown.contains(text));
    let is_late = observed.iter().flat_map(|it| &it.shown).any(is_late);
    (wrong.into_iter().map(|what| format!("{profile}: {what}")).collect(), is_late)
}

pub(crate) async fn observe(client: &RobotsClient, ask: &Ask) -> Observed {
    if ask.is_refetch
        && let Ok(Some(origin)) = Origin::of(&ask.url)
    {
        client.refresh(&origin).await.unwrap();
    }
    let start = Instant::now();
    let mut answer = client.check(&ask.url).await;
    let spent = start.elapsed();
    // The fetch of a busy machine may end after the check's deadline; it continues.
    for _ in 0..MAX_REPEATS {
        if !matches!(answer, Err(CheckError::Late(_))) {
            break;
        }
        answer = client.check(&ask.url).await;
    }
    let mut observed = match answer {
        Ok(decision) => seen(&decision),
        Err(CheckError::Busy(_)) => Observed::new(Class::Busy),
        Err(error) => {
            let mut observed = Observed::new(Class::Invalid);
            observed.shown.push(error.to_string());
            observed
        }
    };
    observed.time = Some((spent, short().total));
    observed
}

/// Maximum number of repetitions after [`CheckError::Late`] or an unexpected time limit.
const MAX_REPEATS: usize = 10;

/// Maximum wait after a first failure without `Retry-After`: a minute, and as much again for the
/// spread (REP-CACHE-21).
const OWN_WAIT: Duration = Duration::from_secs(2 * 60);

/// The next try, if it is later than without `Retry-After`.
fn retry(decision: &Decision) -> Retry {
    let state = decision.state();
    if state.failing_since().is_none() {
        return Retry::Unreported;
    }
    match state.next_try().since(decision.decided_at()) {
        wait if wait <= OWN_WAIT => Retry::Never,
        wait => Retry::After(wait),
    }
}

fn seen(decision: &Decision) -> Observed {
    let mut observed = Observed::new(class(decision));
    observed.shown.push(decision.to_string());
    observed.retry = retry(decision);
    if let Some(record) = decision.record() {
        let file = decision.file();
        observed.shown.extend(decision.failure().map(ToString::to_string));
        if matches!(observed.class, Class::Rules | Class::RulesTruncated) {
            observed.body = file.map(|file| file.body.as_bytes().to_vec());
        }
        let downgraded = RedirectChain::of(file, decision.last()).downgraded;
        let html = file.is_some_and(|file| file.html);
        let flags = [(downgraded, Flag::Downgraded), (html, Flag::SoftHtml)];
        observed.flags = Some(flags.iter().filter(|(is, _)| *is).map(|(_, flag)| *flag).collect());
        observed.fresh_for =
            record.state().fresh_until().map(|until| until.since(record.tried_at()));
    }
    observed
}

fn class(decision: &Decision) -> Class {
    let access = decision.access();
    match (access.kind(), access.reason()) {
        _ if access.stale() == Some(Stale::DuringOutage) => Class::Unreachable,
        (Kind::Rules, _) if decision.file().is_some_and(File::is_truncated) => {
            Class::RulesTruncated
        }
        (Kind::Rules, _) => Class::Rules,
        (Kind::AllowAll, Some(Reason::RedirectLimit)) => Class::RedirectLimit,
        (Kind::AllowAll, _) => Class::Allow,
        (Kind::DisallowAll, _) => {
            let is_refused = matches!(decision.failure(), Some(Failure::Refused(_)));
            if is_refused { Class::Blocked } else { Class::Unreachable }
        }
        (Kind::Unknown, _) => Class::Invalid,
    }
}
