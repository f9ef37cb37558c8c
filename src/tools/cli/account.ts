import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Conflict, NotFound } from "../../contract/errors.ts"
import { Operators } from "../../domain/access/operators/Operators.ts"
import { Passwords } from "../../domain/access/sign-in/Passwords.ts"
import { type Keeper, SubAccounts } from "../../domain/access/sign-in/SubAccounts.ts"
import type { Account } from "../../domain/access/sign-in/sub-account-store.ts"
import { answer } from "./answer.ts"
import { passwordFlags, passwordOf } from "./password.ts"

const create = Command.make(
  "create",
  {
    operatorId: Flag.Int("operator").pipe(Flag.withDescription("operator_id of the account")),
    email: Flag.String("email").pipe(Flag.withDescription("E-mail address that the account signs in with")),
    name: Flag.String("name").pipe(
      Flag.withDescription("Name of the person who uses it (default: the e-mail address)"),
      Flag.optional
    ),
    ...passwordFlags
  },
  ({ operatorId, email, name, ...given }) =>
    answer(
      "account create",
      Effect.flatMap(passwordOf(given), (password) =>
        Operators.use((operators) =>
          operators.createAccount({ operator_id: operatorId, email, name: Option.getOrUndefined(name), password })
        )
      ),
      (made) => `Created sub-account ${made.account_id}.`
    )
).pipe(Command.withDescription("Create a sub-account, which sees every property of its operator"))

const password = Command.make(
  "password",
  {
    accountId: Flag.Int("account").pipe(Flag.withDescription("account_id")),
    ...passwordFlags
  },
  ({ accountId, ...given }) =>
    answer(
      "account password",
      Effect.flatMap(passwordOf(given), (text) =>
        Effect.provide(
          Passwords.use((passwords) => passwords.change({ account_id: accountId, password: text })),
          Passwords.layer
        )
      ),
      (changed) => `Changed the password of account ${changed.account_id}; ended ${sessions(changed.sessions_ended)}.`
    )
).pipe(Command.withDescription("Change the password of an account and end its sessions"))

const sessions = (count: number): string => (count === 1 ? "1 session" : `${count} sessions`)

/** With the accounts of operators. */
const withAccounts = <A, E, R>(work: (accounts: SubAccounts["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(SubAccounts.use(work), SubAccounts.layer)

const list = Command.make(
  "list",
  { operatorId: Flag.Int("operator").pipe(Flag.withDescription("operator_id")) },
  ({ operatorId }) =>
    answer(
      "account list",
      Effect.gen(function* () {
        const accounts = yield* withAccounts((all) => all.list({ operatorId, role: "main" }))
        return accounts.length === 0
          ? yield* new NotFound({ message: `There is no operator ${operatorId}.` })
          : { accounts: accounts.map(({ id, ...shown }) => ({ account_id: id, ...shown })) }
      }),
      ({ accounts }) => accounts.map(inWords).join("\n")
    )
).pipe(Command.withDescription("List the accounts of an operator, including disabled ones"))

const timeOf = (at: Date | null): string => at?.toISOString() ?? "never"

/** What people wrote is quoted, so that nothing in it moves the cursor. */
const inWords = (account: Omit<Account, "id"> & { readonly account_id: number }): string =>
  [
    account.account_id,
    account.role,
    JSON.stringify(account.name),
    JSON.stringify(account.email),
    `signed in ${timeOf(account.signed_in_at)}`,
    ...(account.disabled_at === null ? [] : [`disabled since ${timeOf(account.disabled_at)}`])
  ].join("  ")

const sub = { id: Flag.Int("account").pipe(Flag.withDescription("account_id of the sub-account")) }

/** Does what its main account could do with a sub-account. */
const asKeeper = <A, E, R>(
  id: number,
  work: (accounts: SubAccounts["Service"], keeper: Keeper) => Effect.Effect<A, E, R>
) =>
  withAccounts(
    Effect.fnUntraced(function* (accounts) {
      const found = yield* accounts.whose(id)
      if (found === undefined) return yield* new NotFound({ message: `There is no account ${id}.` })
      if (found.role === "main") return yield* mainAccountStays
      return yield* work(accounts, { operatorId: found.operatorId, role: "main" })
    })
  )

const mainAccountStays = new Conflict({
  message: "--account: must be a sub-account; to stop a main account, run latchkey operator update with --status."
})

const disable = Command.make("disable", sub, ({ id }) =>
  answer(
    "account disable",
    asKeeper(id, (accounts, keeper) => accounts.disable(keeper, id)),
    (disabled) => `Disabled account ${disabled.account_id}; ended ${sessions(disabled.sessions_ended)}.`
  )
).pipe(Command.withDescription("Disable a sub-account, its tokens and its connected applications"))

const enable = Command.make("enable", sub, ({ id }) =>
  answer(
    "account enable",
    asKeeper(id, (accounts, keeper) => accounts.enable(keeper, id)),
    (enabled) => `Enabled account ${enabled.account_id}.`
  )
).pipe(Command.withDescription("Enable a disabled sub-account again"))

export const account = Command.make("account").pipe(
  Command.withDescription("Create, list, disable and enable the accounts of an operator"),
  Command.withSubcommands([create, list, password, disable, enable])
)
