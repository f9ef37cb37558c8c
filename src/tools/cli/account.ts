import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Conflict, NotFound } from "../../contract/errors.ts"
import { create_account, disable_account, enable_account } from "../../domain/access/sign-in/contract.ts"
import { Passwords } from "../../domain/access/sign-in/Passwords.ts"
import { SubAccounts } from "../../domain/access/sign-in/SubAccounts.ts"
import type { OperatorAccount } from "../../domain/access/sign-in/sub-account-store.ts"
import { toUnknownOperatorError } from "./command-failure.ts"
import { runCommand } from "./command-runner.ts"
import { callOperation, runOperationCommand } from "./operation-call.ts"
import { passwordFlags, readPasswordOption } from "./password-flags.ts"

const createCommand = Command.make(
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
  ({ operatorId, email, name, ...passwordOptions }) =>
    runOperationCommand(
      "account create",
      Effect.flatMap(readPasswordOption(passwordOptions), (password) =>
        callOperation(
          create_account,
          operatorId,
          { email, name: Option.getOrUndefined(name), password },
          { email: "--email", name: "--name" }
        )
      ),
      (account) => `Created sub-account ${account.account_id}.`
    )
).pipe(Command.withDescription("Create a sub-account, which sees every property of its operator"))

const passwordCommand = Command.make(
  "password",
  {
    accountId: Flag.Int("account").pipe(Flag.withDescription("account_id")),
    ...passwordFlags
  },
  ({ accountId, ...passwordOptions }) =>
    runCommand(
      "account password",
      Effect.flatMap(readPasswordOption(passwordOptions), (newPassword) =>
        Effect.provide(
          Passwords.use((passwords) => passwords.change({ account_id: accountId, password: newPassword })),
          Passwords.layer
        )
      ),
      (result) =>
        `Changed the password of account ${result.account_id}; ended ${formatSessionCount(result.sessions_ended)}.`
    )
).pipe(Command.withDescription("Change the password of an account and end its sessions"))

const formatSessionCount = (count: number): string => (count === 1 ? "1 session" : `${count} sessions`)

const withAccounts = <A, E, R>(use: (accounts: SubAccounts["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(SubAccounts.use(use), SubAccounts.layer)

const listCommand = Command.make(
  "list",
  { operatorId: Flag.Int("operator").pipe(Flag.withDescription("operator_id")) },
  ({ operatorId }) =>
    runCommand(
      "account list",
      Effect.gen(function* () {
        const accounts = yield* withAccounts((subAccounts) => subAccounts.list({ operatorId, role: "main" }))
        return accounts.length === 0
          ? yield* toUnknownOperatorError(operatorId)
          : { accounts: accounts.map(({ id, ...details }) => ({ account_id: id, ...details })) }
      }),
      ({ accounts }) => accounts.map(formatAccount).join("\n")
    )
).pipe(Command.withDescription("List the accounts of an operator, including disabled ones"))

const formatTime = (time: Date | null): string => time?.toISOString() ?? "never"

/** `JSON.stringify` keeps control characters away from the terminal. */
const formatAccount = (account: Omit<OperatorAccount, "id"> & { readonly account_id: number }): string =>
  [
    account.account_id,
    account.role,
    JSON.stringify(account.name),
    JSON.stringify(account.email),
    `signed in ${formatTime(account.signed_in_at)}`,
    ...(account.disabled_at === null ? [] : [`disabled since ${formatTime(account.disabled_at)}`])
  ].join("  ")

const subAccountArguments = { id: Flag.Int("account").pipe(Flag.withDescription("account_id of the sub-account")) }

const findSubAccountOperator = Effect.fnUntraced(function* (id: number) {
  const owner = yield* withAccounts((accounts) => accounts.findOwner(id))
  if (owner === undefined) return yield* new NotFound({ message: `--account: there is no account ${id}.` })
  return owner.role === "main" ? yield* mainAccountConflictError : owner.operatorId
})

const mainAccountConflictError = new Conflict({
  message: "--account: must be a sub-account; to stop a main account, run latchkey operator update with --status."
})

const disableCommand = Command.make("disable", subAccountArguments, ({ id }) =>
  runOperationCommand(
    "account disable",
    Effect.gen(function* () {
      const { sessions_ended } = yield* callOperation(
        disable_account,
        yield* findSubAccountOperator(id),
        { id },
        { id: "--account" }
      )
      return { account_id: id, sessions_ended }
    }),
    (result) => `Disabled account ${result.account_id}; ended ${formatSessionCount(result.sessions_ended)}.`
  )
).pipe(Command.withDescription("Disable a sub-account, its tokens and its connected applications"))

const enableCommand = Command.make("enable", subAccountArguments, ({ id }) =>
  runOperationCommand(
    "account enable",
    Effect.gen(function* () {
      yield* callOperation(enable_account, yield* findSubAccountOperator(id), { id }, { id: "--account" })
      return { account_id: id }
    }),
    (result) => `Enabled account ${result.account_id}.`
  )
).pipe(Command.withDescription("Enable a disabled sub-account again"))

export const accountCommand = Command.make("account").pipe(
  Command.withDescription("Create, list, disable and enable the accounts of an operator"),
  Command.withSubcommands([createCommand, listCommand, passwordCommand, disableCommand, enableCommand])
)
