/** Pages whose slug has changed. Their former addresses lead to the present page. */
export const MOVED_PAGES: ReadonlyArray<readonly [formerSlug: string, slug: string]> = [
  ["start-with-rest", "rest"],
  ["start-with-mcp", "mcp"],
  ["start-with-oauth", "oauth-quickstart"],
  ["api", "page-and-filter"],
  ["limits", "rate-limits"],
  ["retries", "retry-safely"],
  ["verifying-webhooks", "webhook-signatures"],
  ["feed", "catch-up"],
  ["catching-up", "catch-up"],
  ["host-console", "console"],
  ["channels", "connect-a-channel"],
  ["guests", "guest-portal"],
  ["sandbox", "test-against-the-sandbox"],
  ["trail", "search_audit_log"],
  ["evaluation", "knowledge-base"],
  ["glossary", "concepts"]
]
