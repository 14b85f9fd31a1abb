//! Forwards methods of a store to the store in a field.

macro_rules! forward {
    ($field:tt: $($method:ident),+) => { $(forward!(@ $method $field);)+ };
    (@ get $field:tt) => {
        fn get<'a>(
            &'a self,
            key: &'a verger_fetch::record::RecordKey,
        ) -> verger_fetch::store::Pending<'a, verger_fetch::store::Lookup> {
            self.$field.get(key)
        }
    };
    (@ put $field:tt) => {
        fn put(
            &self,
            record: std::sync::Arc<verger_fetch::record::OriginRecord>,
        ) -> verger_fetch::store::Pending<'_, ()> {
            self.$field.put(record)
        }
    };
    (@ remove $field:tt) => {
        fn remove<'a>(
            &'a self,
            key: &'a verger_fetch::record::RecordKey,
        ) -> verger_fetch::store::Pending<'a, bool> {
            self.$field.remove(key)
        }
    };
    (@ list $field:tt) => {
        fn list<'a>(
            &'a self,
            after: Option<&'a str>,
            most: usize,
        ) -> verger_fetch::store::Pending<'a, Vec<verger_fetch::store::StoreEntry>> {
            self.$field.list(after, most)
        }
    };
    (@ clear $field:tt) => {
        fn clear(&self) -> verger_fetch::store::Pending<'_, u64> {
            self.$field.clear()
        }
    };
}
