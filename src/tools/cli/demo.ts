import { Effect } from "effect"
import { Command } from "effect/cli"
import { seedDemo } from "../demo/seed.ts"
import { answer } from "./answer.ts"

const seed = Command.make("seed", {}, () =>
  answer(
    "demo seed",
    Effect.map(seedDemo, ({ operatorId, accountId, email, password, token }) => ({
      operator_id: operatorId,
      account_id: accountId,
      email,
      password,
      token
    })),
    (access) =>
      [
        `Created operator ${access.operator_id} with main account ${access.account_id}.`,
        `E-mail address: ${access.email}, password: ${access.password}`,
        `Token (not shown again): ${access.token}`
      ].join("\n")
  )
).pipe(Command.withDescription("Create the demo operator in an empty database"))

export const demo = Command.make("demo").pipe(
  Command.withDescription("Create the demo operator"),
  Command.withSubcommands([seed])
)
