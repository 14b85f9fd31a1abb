//! Schemas of foreign texts, for descriptions of an API (feature `_openapi`).

use utoipa::PartialSchema;
use utoipa::openapi::schema::{Array, Type};
use utoipa::openapi::{Object, ObjectBuilder, RefOr, Schema};

/// Functions with the keys of [`Foreign`](crate::Foreign) texts: the text, and its bytes in base64
/// if it is not UTF-8.
macro_rules! texts {
    ($($visibility:vis $function:ident $key:literal $is_required:literal)*) => {
        $(#[doc = concat!("Keys of a `", $key, "`.")]
        $visibility fn $function() -> Object {
            keys($key, string(), $is_required)
        })*
    };
}

texts! {
    pub body "body" false
    pub(crate) etag "etag" false
    pub(crate) file "file" true
    pub fixed "fixed" false
    pub(crate) given_url "url" false
    pub(crate) key "key" true
    pub(crate) last_modified "last_modified" false
    pub(crate) media_type "media_type" false
    pub(crate) pattern "pattern" true
    pub(crate) target "target" false
    pub(crate) text "text" true
    pub url "url" true
    pub(crate) value "value" true
}

/// Keys of several `agents`.
pub(crate) fn agents() -> Object {
    keys("agents", Array::new(string()), true)
}

/// The schema of flattened keys that are all present or all absent.
pub(crate) fn optional<T: PartialSchema>() -> RefOr<Schema> {
    let mut schema = T::schema();
    forget_required(&mut schema);
    schema
}

fn forget_required(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => object.required.clear(),
        RefOr::T(Schema::AllOf(all)) => all.items.iter_mut().for_each(forget_required),
        _ => {}
    }
}

fn string() -> Object {
    Object::with_type(Type::String)
}

fn keys(key: &str, text: impl Into<RefOr<Schema>>, is_required: bool) -> Object {
    let text = text.into();
    let keys =
        ObjectBuilder::new().property(key, text.clone()).property(format!("{key}_b64"), text);
    if is_required { keys.required(key).build() } else { keys.build() }
}
