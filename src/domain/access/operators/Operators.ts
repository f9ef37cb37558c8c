import { Context, DateTime, Effect, Layer } from "effect"
import type { CurrentActor } from "../../../contract/actor.ts"
import { makeDecoder } from "../../../contract/decoder.ts"
import { type BadRequest, type Conflict, NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { type ACCESS_TOKENS_MAX, ACCOUNTS_MAX } from "../../../platform/limits.ts"
import { AccessTokens, type CreatedToken } from "./AccessTokens.ts"
import { OperatorStore } from "./OperatorStore.ts"
import {
  endOfSubscription,
  lastDayOfSubscription,
  NewAccount,
  NewOperator,
  NewToken,
  OperatorChange
} from "./operator-schemas.ts"
import { hashPassword } from "./password.ts"
import { accountNameError, isAccountName } from "./password-rules.ts"

type InputError = BadRequest | ValidationFailed

interface Operator {
  readonly operator_id: number
  readonly name: string
  readonly time_zone: string
  readonly currency: string
  readonly edition: "pro" | "basic"
  readonly status: "active" | "banned" | "closed"
  /** Last day in the operator's time zone. Null if the subscription has no end. */
  readonly subscription_until: string | null
  readonly room_limit: number
  readonly room_type_limit: number
}

const readOperator = makeDecoder(NewOperator)
const readOperatorChange = makeDecoder(OperatorChange)
const readAccount = makeDecoder(NewAccount)
const readToken = makeDecoder(NewToken)

const accountLimitError = new ValidationFailed({
  message: `accounts: an operator has at most ${ACCOUNTS_MAX} sub-accounts, disabled ones included.`
})

const toRecordNotFoundError = (recordType: string, id: number) =>
  new NotFound({ message: `There is no ${recordType} ${id}.` })

type Store = OperatorStore["Service"]

const create = (store: Store) =>
  Effect.fn("Operators.create")(function* (input: NewOperator) {
    const operator = yield* readOperator(input)
    if (isAccountName(operator.password, operator)) return yield* accountNameError
    const now = yield* DateTime.nowAsDate
    const lastDay = operator.subscription_until
    return yield* store.create(
      {
        name: operator.name,
        timeZone: operator.time_zone,
        currency: operator.currency,
        edition: operator.edition ?? "pro",
        subscriptionUntil: lastDay === undefined ? null : endOfSubscription(lastDay, operator.time_zone),
        email: operator.email,
        passwordHash: yield* hashPassword(operator.password)
      },
      now
    )
  })

const update = (store: Store) =>
  Effect.fn("Operators.update")(function* (operatorId: number, input: OperatorChange) {
    const change = yield* readOperatorChange(input)
    const current = yield* store.findTimeZone(operatorId)
    if (current === undefined) return yield* toRecordNotFoundError("operator", operatorId)
    const lastDay = change.subscription_until
    const until = lastDay === undefined ? undefined : endOfSubscription(lastDay, change.time_zone ?? current.time_zone)
    const updated = yield* store.update(operatorId, change, until)
    if (updated === undefined) return yield* toRecordNotFoundError("operator", operatorId)
    const { subscription_until: end, time_zone: timeZone } = updated
    return { ...updated, subscription_until: end === null ? null : lastDayOfSubscription(end, timeZone) }
  })

const createAccount = (store: Store) =>
  Effect.fnUntraced(function* (input: NewAccount) {
    const account = yield* readAccount(input)
    const { operator_id: operatorId, email, name = email } = account
    if (isAccountName(account.password, { email, name })) return yield* accountNameError
    const now = yield* DateTime.nowAsDate
    const passwordHash = yield* hashPassword(account.password)
    const row = yield* store.createAccount({ operatorId, name, email, passwordHash }, now)
    if (row === undefined) return yield* toRecordNotFoundError("operator", operatorId)
    const { account_id } = row
    return account_id === null ? yield* accountLimitError : { account_id }
  })

const createToken = (store: Store, tokens: AccessTokens["Service"]) =>
  Effect.fn("Operators.createToken")(function* (input: NewToken) {
    const { account_id: accountId, name, scope } = yield* readToken(input)
    const owner = yield* store.findAccountOwner(accountId)
    const token =
      owner === undefined
        ? undefined
        : yield* tokens.create({ operatorId: owner.operator_id, accountId }, { name, scope })
    return token ?? (yield* toRecordNotFoundError("account", accountId))
  })

const revokeToken = (store: Store) =>
  Effect.fn("Operators.revokeToken")(function* (tokenId: number) {
    const now = yield* DateTime.nowAsDate
    return (yield* store.revokeToken(tokenId, now)) ?? (yield* toRecordNotFoundError("token", tokenId))
  })

export class Operators extends Context.Service<
  Operators,
  {
    readonly create: (
      input: NewOperator
    ) => Effect.Effect<
      { readonly operator_id: number; readonly account_id: number },
      InputError | Conflict,
      CurrentActor
    >
    /** `subscription_until` may be in the past. */
    readonly update: (
      operatorId: number,
      change: OperatorChange
    ) => Effect.Effect<Operator, InputError | NotFound, CurrentActor>
    /** The new account sees every property. */
    readonly createAccount: (
      input: NewAccount
    ) => Effect.Effect<{ readonly account_id: number }, InputError | NotFound | Conflict, CurrentActor>
    /**
     * Works also after the end of the subscription. Fails with ValidationFailed also beyond {@link ACCESS_TOKENS_MAX}
     * tokens.
     */
    readonly createToken: (input: NewToken) => Effect.Effect<CreatedToken, InputError | NotFound, CurrentActor>
    /** Idempotent. */
    readonly revokeToken: (tokenId: number) => Effect.Effect<{ readonly token_id: number }, NotFound, CurrentActor>
  }
>()("latchkey/domain/access/operators/Operators") {
  static readonly layerNoDeps = Layer.effect(
    Operators,
    Effect.gen(function* () {
      const [store, tokens] = [yield* OperatorStore, yield* AccessTokens]
      return {
        create: create(store),
        update: update(store),
        createAccount: createAccount(store),
        createToken: createToken(store, tokens),
        revokeToken: revokeToken(store)
      }
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([OperatorStore.layer, AccessTokens.layer]))
}
