import type { OperatorOptions } from "./harness.ts"

interface RefusedAccount {
  /** Code and message of the answer to its calls. */
  readonly answer: string
  readonly options: Pick<OperatorOptions, "edition" | "status" | "subscriptionUntil">
}

/** Operators that may not call. */
export const REFUSED_ACCOUNTS: ReadonlyArray<RefusedAccount> = [
  { answer: "420 Subscription expired", options: { subscriptionUntil: new Date("1969-01-01") } },
  { answer: "420 Basic edition does not support this feature", options: { edition: "basic" } },
  { answer: "420 Account banned", options: { status: "banned" } },
  { answer: "401 Invalid access token", options: { status: "closed" } }
]

/** Tokens that no operator has. */
export const UNKNOWN_TOKENS: ReadonlyArray<string | undefined> = [undefined, "", "lk_unknown", "x".repeat(5000)]
