import { Effect } from "effect"
import type { Caller, SignedInAccount } from "../../src/contract/caller.ts"
import { toReceivedInput } from "../../src/contract/input.ts"
import type { OperationName } from "../../src/service/Api.ts"
import { Service } from "../../src/service/service.ts"

/** Somebody who works in the console, as the API sees them. */
export const toConsoleCaller = (
  account: Pick<Caller, "operatorId" | "accountId" | "role"> & Partial<Caller>
): Caller => ({
  accountName: "Owner",
  tokenId: 0,
  tokenName: "console",
  application: null,
  grantId: null,
  scope: "writable",
  timeZone: "Europe/Berlin",
  currency: "EUR",
  edition: "pro",
  ...account
})

/** The answer to an operation that a person calls on a page of the console; the main account is signed in unless another is named. */
export const callAsPerson = Effect.fnUntraced(function* (
  account: Pick<Caller, "operatorId" | "accountId"> & Partial<Caller>,
  operation: OperationName,
  fields: Readonly<Record<string, unknown>> = {},
  state: Partial<Pick<SignedInAccount, "status" | "subscriptionUntil">> = {}
) {
  const service = yield* Service
  const caller = toConsoleCaller({ role: "main", ...account })
  const { envelope } = yield* service.call(operation, {
    transport: "console",
    headers: {},
    params: {},
    signedInAccount: { caller, status: "active", subscriptionUntil: null, ...state },
    receive: Effect.succeed(toReceivedInput({ encoding: "json", fields }))
  })
  return envelope
})
