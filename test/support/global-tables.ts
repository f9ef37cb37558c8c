// If the tables were distributed over several servers, those of operators would be distributed by operator_id.

/** The tables that every server would need whole, and why: a statement reads them before the operator is known, or nobody owns them. */
export const GLOBAL_TABLES: Readonly<Record<string, string>> = {
  operators: "who there is, with zone, currency, edition and limits: joined by nearly every statement, changed seldom",
  accounts: "who signs in says an e-mail address, which is one of all operators; a handful an operator",
  access_tokens: "a call says nothing but its token; looked up by digest and kept in memory for three seconds",
  oauth_clients: "applications are known before whose consent they ask for",
  oauth_redirects: "whose address a redirection is: of one application of all",
  oauth_grants: "what an account let an application do; a code, a refresh token and an access token are of one",
  oauth_codes: "an application says nothing but the code; gone within minutes",
  oauth_refresh_tokens: "an application says nothing but the token",
  console_sessions: "a browser says nothing but its cookie",
  known_browsers: "asked while somebody signs in, beside the account",
  sign_in_failures: "counted by e-mail address and place, whether or not there is such an account",
  mailed_links: "the link of a mail has nothing but its token",
  mail_counts: "counts mails by e-mail address, whether or not it has an account",
  connectors: "who runs the service adds them, for all operators",
  connector_messages:
    "what a connector said lately, so that it is heard once; the account in it is looked up after that",
  addresses: "who opens a feed or a shared calendar says nothing but its token: leads to the operator by its digest",
  default_reservation_tags: "the names every operator begins with",
  schema_migrations: "what the schema is"
}
