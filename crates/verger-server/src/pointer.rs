//! The JSON pointer of the value at a position of a JSON text, for errors of the reader.

/// Walks through the text up to the position, and returns the path of the value there.
pub(crate) fn pointer_at(body: &[u8], line: usize, column: usize) -> String {
    let mut offset = 0;
    for (at, text) in body.split(|byte| *byte == b'\n').enumerate() {
        if at + 1 == line {
            offset += column.saturating_sub(1);
            break;
        }
        offset += text.len() + 1;
    }
    let mut path: Vec<Step> = Vec::new();
    let (mut at, end) = (0, offset.min(body.len().saturating_sub(1)));
    let mut key: Option<(usize, usize)> = None;
    while at <= end {
        match body[at] {
            b'{' => path.push(Step::Key(None)),
            b'[' => path.push(Step::Index(0)),
            b'}' | b']' => {
                if at == end {
                    break;
                }
                path.pop();
            }
            b',' => {
                key = None;
                match path.last_mut() {
                    Some(Step::Index(index)) => *index += 1,
                    Some(Step::Key(name)) => *name = None,
                    None => {}
                }
            }
            b':' => {
                if let (Some(Step::Key(name)), Some((from, to))) = (path.last_mut(), key.take()) {
                    *name = Some((from, to));
                }
            }
            b'"' => {
                let from = at + 1;
                at += 1;
                while at < body.len() && body[at] != b'"' {
                    at += if body[at] == b'\\' { 2 } else { 1 };
                }
                key = Some((from, at.min(body.len())));
            }
            _ => {}
        }
        at += 1;
    }
    // An error about a key itself.
    if let Some(Step::Key(name @ None)) = path.last_mut() {
        *name = key;
    }
    let mut pointer = String::new();
    for step in path {
        match step {
            Step::Index(index) => {
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
            Step::Key(Some((from, to))) => {
                let name = String::from_utf8_lossy(&body[from..to]);
                let name: String = name.chars().take(100).collect();
                pointer.push('/');
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
            }
            Step::Key(None) => {}
        }
    }
    pointer
}

enum Step {
    Key(Option<(usize, usize)>),
    Index(usize),
}
