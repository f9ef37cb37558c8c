/**
 * A search for a key also finds pages and sections with one of its phrases in heading or summary. Singular and plural
 * are the same.
 */
export const SEARCH_SYNONYMS: Readonly<Record<string, ReadonlyArray<string>>> = {
  authentication: ["access token", "authorize", "authorization", "sign in", "oauth"],
  login: ["access token", "authorization", "sign in"],
  "api key": ["access token"],
  pagination: ["paging", "page and filter"],
  paging: ["pagination", "page and filter"],
  sdk: ["client", "library"],
  library: ["client"],
  payout: ["income", "transaction"],
  payment: ["income", "transaction"],
  cancel: ["void"],
  delete: ["cancel", "remove"],
  booking: ["reservation", "stay", "order"],
  apartment: ["property"],
  "check-in instructions": ["guest portal", "check in guide", "check in details", "lock code"],
  throttling: ["rate limit"],
  quota: ["rate limit"],
  idempotency: ["retry safely"],
  idempotent: ["retry safely"],
  "release notes": ["changelog", "versioning"],
  ical: ["calendar"],
  availability: ["availabilities", "unavailable dates"],
  open: ["unblock"],
  close: ["block"],
  rate: ["price"],
  cleaner: ["staff", "task"],
  inbox: ["conversation", "message"]
}
