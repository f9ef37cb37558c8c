/**
 * Maps words that readers search for to words of the documentation with the same meaning. A search finds a page or
 * section whose title, heading or summary has one of these words. Singular and plural are the same.
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
