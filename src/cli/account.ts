import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Passwords } from "../console/Passwords.ts"
import { Operators } from "../operators/Operators.ts"
import { answer } from "./answer.ts"
import { passwordFlags, passwordOf } from "./password.ts"

const create = Command.make(
  "create",
  {
    operatorId: Flag.Int("operator").pipe(Flag.withDescription("operator_id the account belongs to")),
    email: Flag.String("email").pipe(Flag.withDescription("E-mail address the account signs in with")),
    ...passwordFlags
  },
  ({ operatorId, email, ...given }) =>
    answer(
      "account create",
      Effect.flatMap(passwordOf(given), (password) =>
        Operators.use((operators) => operators.createAccount({ operator_id: operatorId, email, password }))
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

export const account = Command.make("account").pipe(
  Command.withDescription("Accounts: who signs in for an operator"),
  Command.withSubcommands([create, password])
)
