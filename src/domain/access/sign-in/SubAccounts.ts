import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Acting } from "../../../contract/acting.ts"
import type { Caller } from "../../../contract/caller.ts"
import { type BadRequest, type Conflict, Forbidden, NotFound, type ValidationFailed } from "../../../contract/errors.ts"
import { Operators } from "../operators/Operators.ts"
import type { NewAccount } from "../operators/rules.ts"
import { type Busy, Hashing, hashedAway } from "./Hashing.ts"
import { type Changed, Passwords } from "./Passwords.ts"
import { type Account, type Disabled, makeSubAccountStore } from "./sub-account-store.ts"

/** Who looks after the accounts of an operator: its main account alone may. */
export type Keeper = Pick<Caller, "operatorId" | "role">

/** A sub-account to be made. Without a name it has its e-mail address's. */
export type NewSubAccount = Omit<NewAccount, "operator_id">

const mainAccountOnly = new Forbidden({ message: "Only the main account may manage accounts." })
const noSuchAccount = new NotFound({ message: "id: no such sub-account." })

type Unreadable = BadRequest | ValidationFailed

/** Lets the main account through. */
const asMain = <A, E, R>({ role }: Keeper, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Forbidden, R> =>
  role === "main" ? work : mainAccountOnly

/** Passwords are hashed for one main account after the other, as for everybody who is signed in. */
const fromKeeper = ({ operatorId }: Keeper) => ({ place: `operator ${operatorId}`, isKnown: true })

const found = <A>(row: A | undefined): Effect.Effect<A, NotFound> =>
  row === undefined ? noSuchAccount : Effect.succeed(row)

/**
 * The accounts of an operator, as its main account sees and manages them. What is no sub-account of the operator is as if there
 * were none, the main account itself too: it is never disabled, and changes its own password by knowing it (Passwords.changeOwn).
 */
export class SubAccounts extends Context.Service<
  SubAccounts,
  {
    /** All of them, the main account first, the sub-accounts as they were made; none: there is no such operator. */
    readonly list: (keeper: Keeper) => Effect.Effect<ReadonlyArray<Account>, Forbidden>
    /** ValidationFailed also where the operator has all {@link ACCOUNTS}; Conflict: the e-mail address has an account. */
    readonly create: (
      keeper: Keeper,
      input: NewSubAccount
    ) => Effect.Effect<{ readonly account_id: number }, Forbidden | Unreadable | NotFound | Conflict | Busy, Acting>
    /**
     * Ends its sessions at once. Its tokens, also those of applications it connected, are refused within five seconds; none of them
     * ends. Disabled twice is disabled once.
     */
    readonly disable: (keeper: Keeper, id: number) => Effect.Effect<Disabled, Forbidden | NotFound, Acting>
    /** It can sign in again, and its tokens work again within five seconds. */
    readonly enable: (
      keeper: Keeper,
      id: number
    ) => Effect.Effect<{ readonly account_id: number }, Forbidden | NotFound, Acting>
    /** Another password, whatever it was; all its sessions end. */
    readonly setPassword: (
      keeper: Keeper,
      id: number,
      password: string
    ) => Effect.Effect<Changed, Forbidden | Unreadable | NotFound | Busy, Acting>
    /** Whose an account is, for who runs the service; undefined: nobody's. */
    readonly whose: (id: number) => Effect.Effect<Keeper | undefined>
  }
>()("latchkey/console/SubAccounts") {
  static readonly layerNoDeps = Layer.effect(
    SubAccounts,
    Effect.gen(function* () {
      const store = makeSubAccountStore(yield* SqlClient.SqlClient)
      const [operators, passwords, hashing] = [yield* Operators, yield* Passwords, yield* Hashing]

      const create = Effect.fn("SubAccounts.create")(function* (keeper: Keeper, input: NewSubAccount) {
        const made = operators.createAccount({ ...input, operator_id: keeper.operatorId })
        return yield* asMain(keeper, hashedAway(hashing, fromKeeper(keeper), made))
      })

      const disable = Effect.fn("SubAccounts.disable")(function* (keeper: Keeper, accountId: number) {
        const { operatorId } = keeper
        const now = yield* DateTime.nowAsDate
        return yield* asMain(keeper, Effect.flatMap(store.disable({ operatorId, accountId, now }), found))
      })

      const enable = Effect.fn("SubAccounts.enable")(function* (keeper: Keeper, accountId: number) {
        const { operatorId } = keeper
        return yield* asMain(keeper, Effect.flatMap(store.enable({ operatorId, accountId }), found))
      })

      // An account stays what it is and whose it is, so it is enough to have looked.
      const setPassword = Effect.fn("SubAccounts.setPassword")(function* (
        keeper: Keeper,
        accountId: number,
        password: string
      ) {
        const { operatorId } = keeper
        const { account_id } = yield* asMain(keeper, Effect.flatMap(store.known({ operatorId, accountId }), found))
        return yield* hashedAway(hashing, fromKeeper(keeper), passwords.change({ account_id, password }))
      })

      return SubAccounts.of({
        list: (keeper) => asMain(keeper, store.list(keeper.operatorId)),
        create,
        disable,
        enable,
        setPassword,
        whose: store.whose
      })
    })
  )

  static readonly layer = Layer.provide(this.layerNoDeps, [Operators.layer, Passwords.layer, Hashing.layer])
}
