import { Effect } from "effect"
import { type Caller, CurrentCaller, type TrustedAccount } from "../../src/contract/caller.ts"
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

/** Runs a read model of the console as an account: as the main account unless a sub-account is given. */
export const asCaller = (account: Pick<Caller, "operatorId"> & Partial<Caller>) =>
  Effect.provideService(CurrentCaller, toConsoleCaller({ accountId: 0, role: "main", ...account }))

type PersonAccount = Pick<Caller, "operatorId" | "accountId"> & Partial<Caller>

interface PersonCallOptions extends Partial<Pick<TrustedAccount, "status" | "subscriptionUntil">> {
  /** The key of the form. */
  readonly key?: string
}

/** The response to an operation that a person calls on a page of the console, with its headers. */
export const callAsPersonForResponse = Effect.fnUntraced(function* (
  account: PersonAccount,
  operation: OperationName,
  fields: Readonly<Record<string, unknown>> = {},
  { key, ...state }: PersonCallOptions = {}
) {
  const service = yield* Service
  const caller = toConsoleCaller({ role: "main", ...account })
  return yield* service.call(operation, {
    transport: "console",
    headers: {},
    params: {},
    trustedAccount: { caller, status: "active", subscriptionUntil: null, ...state },
    ...(key === undefined ? {} : { idempotencyKey: { field: "form_key", value: key } }),
    receive: Effect.succeed(toReceivedInput({ encoding: "json", fields }))
  })
})

/** The answer to an operation that a person calls on a page of the console; the main account is signed in unless another is named. */
export const callAsPerson = (...args: Parameters<typeof callAsPersonForResponse>) =>
  Effect.map(callAsPersonForResponse(...args), ({ envelope }) => envelope)
