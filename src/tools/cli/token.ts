import { Argument, Command, Flag } from "effect/cli"
import { Operators } from "../../domain/access/operators/Operators.ts"
import { SCOPES } from "../../domain/access/operators/rules.ts"
import { answer } from "./answer.ts"
import { tokenLimit } from "./limits.ts"

const create = Command.make(
  "create",
  {
    accountId: Flag.Int("account").pipe(Flag.withDescription("account_id the token calls for")),
    name: Flag.String("name").pipe(Flag.withDescription("What the token is for")),
    scope: Flag.Literals("scope", SCOPES).pipe(Flag.withDescription("Cannot be changed later"))
  },
  ({ accountId, name, scope }) =>
    answer(
      "token create",
      Operators.use((operators) => operators.createToken({ account_id: accountId, name, scope })),
      (made) => `Token ${made.token_id}, shown this once:\n${made.token}`
    )
).pipe(Command.withDescription("Make an access token"))

const revoke = Command.make("revoke", { id: Argument.Int("id").pipe(Argument.withDescription("token_id")) }, ({ id }) =>
  answer(
    "token revoke",
    Operators.use((operators) => operators.revokeToken(id)),
    (revoked) => `Token ${revoked.token_id} no longer works.`
  )
).pipe(Command.withDescription("End an access token for good"))

export const token = Command.make("token").pipe(
  Command.withDescription("Access tokens: what software calls the API with"),
  Command.withSubcommands([create, revoke, tokenLimit])
)
