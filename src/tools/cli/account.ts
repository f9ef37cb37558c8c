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
    operatorId: Flag.Int("operator").pipe(Flag.withDescription("operator_id the account belongs to")),
    email: Flag.String("email").pipe(Flag.withDescription("E-mail address the account signs in with")),
    name: Flag.String("name").pipe(
      Flag.withDescription("Who it is for; without it the account is called as its e-mail address"),
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
      (made) => `Sub-account ${made.account_id}.`
    )
).pipe(Command.withDescription("Make a sub-account, which sees every property of its operator"))

const password = Command.make(
  "password",
  {
    accountId: Flag.Int("account").pipe(Flag.withDescription("account_id whose password it is to be")),
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
      (changed) => `Account ${changed.account_id} has another password; ${sessions(changed.sessions_ended)} ended.`
    )
).pipe(Command.withDescription("Give an account another password, which signs it out everywhere"))

const sessions = (count: number): string => (count === 1 ? "1 session" : `${count} sessions`)

/** With the accounts of operators. */
const withAccounts = <A, E, R>(work: (accounts: SubAccounts["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(SubAccounts.use(work), SubAccounts.layer)

const list = Command.make(
  "list",
  { operatorId: Flag.Int("operator").pipe(Flag.withDescription("operator_id whose accounts they are")) },
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
).pipe(Command.withDescription("List the accounts of an operator, disabled ones too"))

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
  message: "A main account cannot be disabled: latchkey operator update has --status for its operator."
})

const disable = Command.make("disable", sub, ({ id }) =>
  answer(
    "account disable",
    asKeeper(id, (accounts, keeper) => accounts.disable(keeper, id)),
    (disabled) => `Account ${disabled.account_id} is disabled; ${sessions(disabled.sessions_ended)} ended.`
  )
).pipe(
  Command.withDescription(
    "Let nobody sign in with a sub-account, and nothing it gave access to in, until it is enabled"
  )
)

const enable = Command.make("enable", sub, ({ id }) =>
  answer(
    "account enable",
    asKeeper(id, (accounts, keeper) => accounts.enable(keeper, id)),
    (enabled) => `Account ${enabled.account_id} works.`
  )
).pipe(Command.withDescription("Let a disabled sub-account do again what it could"))

export const account = Command.make("account").pipe(
  Command.withDescription("Accounts: who signs in for an operator"),
  Command.withSubcommands([create, list, password, disable, enable])
)
