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
        `Operator ${access.operator_id} with main account ${access.account_id}.`,
        `Its e-mail address is ${access.email}, its password ${access.password}.`,
        `Token, shown this once: ${access.token}`
      ].join("\n")
  )
).pipe(Command.withDescription("Fill an empty database with a demo operator"))

export const demo = Command.make("demo").pipe(
  Command.withDescription("The demo operator"),
  Command.withSubcommands([seed])
)
