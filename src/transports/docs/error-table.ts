// The error codes of the specification (Errors).

interface ErrorRow {
  readonly code: number
  readonly title: string
  readonly meaning: string
  readonly advice: string
}

export const ERROR_TABLE: ReadonlyArray<ErrorRow> = [
  {
    code: 400,
    title: "Malformed request",
    meaning:
      "The service cannot read the request: a field is missing, has the wrong type, or excludes another field. Some operations also return it for other reasons, which their pages name.",
    advice: "Correct the request. Do not repeat it unchanged."
  },
  {
    code: 401,
    title: "Authentication failed",
    meaning:
      "The token is missing or not valid, or a read-only token was used for a write. At an OAuth endpoint: the client, secret, code, verifier or refresh token is wrong.",
    advice: "Use another token, or connect again."
  },
  {
    code: 403,
    title: "Forbidden",
    meaning: "This account or application may not do that, or may not do it to this record.",
    advice: "Use an account or an application with that right. Do not repeat the call."
  },
  {
    code: 404,
    title: "Not found",
    meaning: "The path does not exist, or this account has no such record.",
    advice: "Check the path and the id. Do not repeat the call unchanged."
  },
  {
    code: 409,
    title: "Conflict",
    meaning:
      "The call contradicts the present state: it would create a duplicate, sell a night twice, or change a record that has ended. With Retry-After, the same call is still running or a queue is full.",
    advice: "Read the present state first. With Retry-After, repeat the call after that time."
  },
  {
    code: 420,
    title: "Account or subscription",
    meaning: "The subscription has expired or does not include the API, or the account is banned.",
    advice: "Ask the host, who alone can change it."
  },
  {
    code: 422,
    title: "Validation failed",
    meaning: "The request is readable but breaks a rule. error_msg names the field.",
    advice: "Correct the request. Do not repeat it unchanged."
  },
  {
    code: 429,
    title: "Rate limited",
    meaning: "A rate-limit window is full, or too many calls wait.",
    advice: "Wait for the seconds in Retry-After."
  },
  {
    code: 500,
    title: "Server error",
    meaning: "The service failed. With Retry-After, it is overloaded.",
    advice: "Repeat the call after Retry-After, or with growing pauses. Then ask for help and send the request_id."
  },
  {
    code: 501,
    title: "Not implemented",
    meaning:
      "The feature is not enabled for this account or installation, or the installation has no connector for the channel.",
    advice: "Tell the user. Do not repeat the call."
  },
  {
    code: 502,
    title: "Channel failed",
    meaning: "A channel returned an error to the service. It may have carried out the request.",
    advice: "Repeat the call under the same idempotency key, with growing pauses."
  },
  {
    code: 503,
    title: "Channel unavailable",
    meaning: "The service cannot reach a channel.",
    advice: "Repeat the call under the same idempotency key, with growing pauses."
  },
  {
    code: 504,
    title: "Channel timeout",
    meaning: "A channel did not respond in time. It may have carried out the request.",
    advice: "Repeat the call under the same idempotency key, with growing pauses."
  }
]

export const findErrorRow = (code: number): ErrorRow | undefined => ERROR_TABLE.find((row) => row.code === code)
