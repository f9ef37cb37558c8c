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

/** Who looks after the accounts of an operator: its main account alone may. */
type AccountManager = Pick<Caller, "operatorId" | "role">

/** A sub-account to be made. Without a name it has its e-mail address's. */
export type NewSubAccount = Omit<NewAccount, "operator_id">

const mainAccountOnlyError = new Forbidden({ message: "Only the main account may manage accounts." })
const subAccountNotFoundError = new NotFound({ message: "id: no such sub-account." })

type InputError = BadRequest | ValidationFailed

/** Lets the main account through. */
const requireMainAccount = <A, E, R>(
  { role }: AccountManager,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Forbidden, R> => (role === "main" ? work : mainAccountOnlyError)

const requireAccount = <A>(row: A | undefined): Effect.Effect<A, NotFound> =>
  row === undefined ? subAccountNotFoundError : Effect.succeed(row)

/**
 * The accounts of an operator, as its main account sees and manages them. What is no sub-account of the operator is as if there
 * were none, the main account itself too: it is never disabled, and changes its own password by knowing it (Passwords.changeOwn).
 */
export class SubAccounts extends Context.Service<
  SubAccounts,
  {
    /** All of them, the main account first, the sub-accounts as they were made; none: there is no such operator. */
    readonly list: (manager: AccountManager) => Effect.Effect<ReadonlyArray<OperatorAccount>, Forbidden>
    /** ValidationFailed also where the operator has all {@link ACCOUNTS}; Conflict: the e-mail address has an account. */
    readonly create: (
      manager: AccountManager,
      input: NewSubAccount
    ) => Effect.Effect<
      { readonly account_id: number },
      Forbidden | InputError | NotFound | Conflict | HashingBusy,
      CurrentActor
    >
    /**
     * Ends its sessions at once. Its tokens, also those of applications it connected, are refused within five seconds; none of them
     * ends. Disabled twice is disabled once.
     */
    readonly disable: (
      manager: AccountManager,
      id: number
    ) => Effect.Effect<DisabledAccount, Forbidden | NotFound, CurrentActor>
    /** It can sign in again, and its tokens work again within five seconds. */
    readonly enable: (
      manager: AccountManager,
      id: number
    ) => Effect.Effect<{ readonly account_id: number }, Forbidden | NotFound, CurrentActor>
    /** Another password, whatever it was; all its sessions end. */
    readonly setPassword: (
      manager: AccountManager,
      id: number,
      password: string
    ) => Effect.Effect<PasswordChangeResult, Forbidden | InputError | NotFound | HashingBusy, CurrentActor>
    /** Whose an account is, for who runs the service; undefined: nobody's. */
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
