import { Argument, Command, Flag } from "effect/cli"
import { Operators } from "../../domain/access/operators/Operators.ts"
import { TOKEN_SCOPES } from "../../domain/access/operators/operator-schemas.ts"
import { runCommand } from "./command-runner.ts"
import { withFieldFlags } from "./field-flags.ts"
import { tokenLimitCommand } from "./limit-commands.ts"

const createCommand = Command.make(
  "create",
  {
    accountId: Flag.Int("account").pipe(Flag.withDescription("account_id whose rights the token has")),
    name: Flag.String("name").pipe(Flag.withDescription("Name of the token, such as the program that uses it")),
    scope: Flag.Literals("scope", TOKEN_SCOPES).pipe(
      Flag.withDescription("Scope of the token; it cannot be changed later")
    )
  },
  ({ accountId, name, scope }) =>
    runCommand(
      "token create",
      Operators.use((operators) => operators.createToken({ account_id: accountId, name, scope })).pipe(
        withFieldFlags({ name: "--name" })
      ),
      (token) => `Token ${token.token_id} (not shown again):\n${token.token}`
    )
).pipe(Command.withDescription("Create an access token"))

const revokeCommand = Command.make(
  "revoke",
  { id: Argument.Int("id").pipe(Argument.withDescription("token_id")) },
  ({ id }) =>
    runCommand(
      "token revoke",
      Operators.use((operators) => operators.revokeToken(id)),
      (revoked) => `Token ${revoked.token_id} no longer works.`
    )
).pipe(Command.withDescription("Revoke an access token for good"))

export const tokenCommand = Command.make("token").pipe(
  Command.withDescription("Create, limit and revoke access tokens of the API"),
  Command.withSubcommands([createCommand, revokeCommand, tokenLimitCommand])
)
