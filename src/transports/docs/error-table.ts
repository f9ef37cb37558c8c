// The error codes as documents tell of them (specification, Errors).

interface ErrorRow {
  readonly code: number
  /** In a word or two. */
  readonly title: string
  readonly meaning: string
  readonly advice: string
}

export const ERROR_TABLE: ReadonlyArray<ErrorRow> = [
  {
    code: 400,
    title: "Malformed request",
    meaning: "The request cannot be read: a missing field, a wrong type, or fields that exclude each other.",
    advice: "Mend the request. Do not repeat it as it is."
  },
  {
    code: 401,
    title: "Authentication failed",
    meaning: "There is no valid token, or a read-only token on a write.",
    advice: "Use another token."
  },
  {
    code: 403,
    title: "Forbidden",
    meaning: "The record is somebody else's, or this account may not do that.",
    advice: "Stop."
  },
  {
    code: 404,
    title: "Not found",
    meaning: "There is no such path or record in this account.",
    advice: "Check the id. Do not repeat the call."
  },
  {
    code: 409,
    title: "Conflict",
    meaning: "It would be a duplicate or sell a night twice. With Retry-After the same call is under way.",
    advice: "Look at the present state first. With Retry-After repeat the call."
  },
  {
    code: 420,
    title: "Account or subscription",
    meaning: "The subscription has expired or does not cover the call, or the account is banned.",
    advice: "Tell the host, who alone can change it."
  },
  {
    code: 422,
    title: "Validation failed",
    meaning: "The request can be read and breaks a rule. error_msg names the field.",
    advice: "Mend the request. Do not repeat it as it is."
  },
  {
    code: 429,
    title: "Rate limited",
    meaning: "A window is full, or too many calls could not succeed as they were sent.",
    advice: "Wait for Retry-After seconds."
  },
  {
    code: 500,
    title: "Server error",
    meaning: "A fault of the service, or more work than there was time for: then with Retry-After.",
    advice: "Repeat it after Retry-After or with growing pauses, then ask for help with the request_id."
  },
  {
    code: 501,
    title: "Not implemented",
    meaning: "It is there and not enabled for this account or deployment.",
    advice: "Tell the user. Do not repeat the call."
  },
  { code: 502, title: "Channel failed", meaning: "A channel behind the service failed.", advice: "Repeat the call." },
  { code: 503, title: "Channel away", meaning: "A channel behind the service is away.", advice: "Repeat the call." },
  {
    code: 504,
    title: "Channel too slow",
    meaning: "A channel behind the service did not answer in time. What was asked of it may have been done.",
    advice: "Look at the present state, then repeat the call."
  }
]

export const findErrorRow = (code: number): ErrorRow | undefined => ERROR_TABLE.find((row) => row.code === code)
