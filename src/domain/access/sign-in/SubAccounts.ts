import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Caller } from "../../../contract/caller.ts"
import { type BadRequest, type Conflict, Forbidden, NotFound, type ValidationFailed } from "../../../contract/errors.ts"
import { Operators } from "../operators/Operators.ts"
import type { NewAccount } from "../operators/operator-schemas.ts"
import { type HashingBusy, HashingLimiter, hashReleasingPermit, operatorHashingSource } from "./HashingLimiter.ts"
import { type PasswordChangeResult, Passwords } from "./Passwords.ts"
import { type DisabledAccount, makeSubAccountStore, type OperatorAccount } from "./sub-account-store.ts"

type AccountManager = Pick<Caller, "operatorId" | "role">

export type NewSubAccount = Omit<NewAccount, "operator_id">

const mainAccountOnlyError = new Forbidden({ message: "Only the main account may manage accounts." })
const subAccountNotFoundError = new NotFound({ message: "id: no such sub-account." })

type InputError = BadRequest | ValidationFailed

const requireMainAccount = <A, E, R>(
  { role }: AccountManager,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Forbidden, R> => (role === "main" ? work : mainAccountOnlyError)

const requireAccount = <A>(row: A | undefined): Effect.Effect<A, NotFound> =>
  row === undefined ? subAccountNotFoundError : Effect.succeed(row)

export class SubAccounts extends Context.Service<
  SubAccounts,
  {
    /** Returns the main account first, then the sub-accounts by age. */
    readonly list: (manager: AccountManager) => Effect.Effect<ReadonlyArray<OperatorAccount>, Forbidden>
    /** Fails with ValidationFailed also if the operator has the maximum number of sub-accounts. */
    readonly create: (
      manager: AccountManager,
      input: NewSubAccount
    ) => Effect.Effect<
      { readonly account_id: number },
      Forbidden | InputError | NotFound | Conflict | HashingBusy,
      CurrentActor
    >
    /** Ends the sessions at once. Its tokens are rejected within five seconds, but not deleted. Idempotent. */
    readonly disable: (
      manager: AccountManager,
      id: number
    ) => Effect.Effect<DisabledAccount, Forbidden | NotFound, CurrentActor>
    /** The tokens work again within five seconds. */
    readonly enable: (
      manager: AccountManager,
      id: number
    ) => Effect.Effect<{ readonly account_id: number }, Forbidden | NotFound, CurrentActor>
    readonly setPassword: (
      manager: AccountManager,
      id: number,
      password: string
    ) => Effect.Effect<PasswordChangeResult, Forbidden | InputError | NotFound | HashingBusy, CurrentActor>
    readonly findOwner: (id: number) => Effect.Effect<AccountManager | undefined>
  }
>()("latchkey/domain/access/sign-in/SubAccounts") {
  static readonly layerNoDeps = Layer.effect(
    SubAccounts,
    Effect.gen(function* () {
      const store = makeSubAccountStore(yield* SqlClient.SqlClient)
      const [operators, passwords, limiter] = [yield* Operators, yield* Passwords, yield* HashingLimiter]

      const create = Effect.fnUntraced(function* (manager: AccountManager, input: NewSubAccount) {
        const { operatorId } = manager
        const createAccount = operators.createAccount({ ...input, operator_id: operatorId })
        return yield* requireMainAccount(
          manager,
          hashReleasingPermit(limiter, operatorHashingSource(operatorId), createAccount)
        )
      })

      const disable = Effect.fnUntraced(function* (manager: AccountManager, accountId: number) {
        const { operatorId } = manager
        const now = yield* DateTime.nowAsDate
        return yield* requireMainAccount(
          manager,
          Effect.flatMap(store.disable({ operatorId, accountId, now }), requireAccount)
        )
      })

      const enable = Effect.fnUntraced(function* (manager: AccountManager, accountId: number) {
        const { operatorId } = manager
        return yield* requireMainAccount(
          manager,
          Effect.flatMap(store.enable({ operatorId, accountId }), requireAccount)
        )
      })

      const setPassword = Effect.fnUntraced(function* (manager: AccountManager, accountId: number, password: string) {
        const { operatorId } = manager
        return yield* requireMainAccount(
          manager,
          Effect.flatMap(passwords.changeOfSubAccount({ operatorId, accountId }, password), requireAccount)
        )
      })

      return SubAccounts.of({
        list: (manager) => requireMainAccount(manager, store.list(manager.operatorId)),
        create,
        disable,
        enable,
        setPassword,
        findOwner: store.findOwner
      })
    })
  )

  static readonly layer = Layer.provide(this.layerNoDeps, [Operators.layer, Passwords.layer, HashingLimiter.layer])
}
