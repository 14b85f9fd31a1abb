//! The description of the API (`OpenAPI` 3.1). The routes are in `routes.rs`; each handler
//! describes its own.

use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};

use crate::problem::Document;

/// The description without routes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Verger",
        description = "Answers which URLs crawlers may fetch by robots.txt, with evidence. The JSON contract is that of the program verger: keys can be added, so clients skip unknown keys.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    components(schemas(Document<'static>)),
    modifiers(&Token),
    security((), ("token" = [])),
    tags(
        (name = "questions", description = "May a crawler fetch a URL?"),
        (name = "files", description = "Robots.txt files in the request"),
        (name = "origins", description = "Records of origins"),
        (name = "turns", description = "Politeness for workers"),
        (name = "operation", description = "For operators and clients"),
    )
)]
pub(crate) struct Description;

struct Token;

impl Modify for Token {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        openapi.components.get_or_insert_default().add_security_scheme("token", scheme);
    }
}
