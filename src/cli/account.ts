import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
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

export const account = Command.make("account").pipe(
  Command.withDescription("Accounts: who signs in for an operator"),
  Command.withSubcommands([create])
)
