import { Context, Effect, Layer, Ref, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeSingleRowReader } from "../../platform/database/rows.ts"

const readDemoOperatorExists = makeSingleRowReader(Schema.Struct({ found: Schema.Boolean }))

/** If `isAllowed` is false, responses do not reveal that the sandbox exists. */
export class SandboxAccess extends Context.Service<SandboxAccess, { readonly isAllowed: Effect.Effect<boolean> }>()(
  "latchkey/connectors/sandbox/SandboxAllowed"
) {
  static readonly layerAlways = Layer.succeed(SandboxAccess, { isAllowed: Effect.succeed(true) })
  static readonly layerNever = Layer.succeed(SandboxAccess, { isAllowed: Effect.succeed(false) })

  static readonly layerFromSettings = (
    setting: "always" | "never" | "with demo",
    demoEmail: string
  ): Layer.Layer<SandboxAccess, never, SqlClient.SqlClient> => {
    if (setting === "with demo") return SandboxAccess.layerWithDemo(demoEmail)
    return setting === "always" ? SandboxAccess.layerAlways : SandboxAccess.layerNever
  }

  static readonly layerWithDemo = (demoEmail: string) =>
    Layer.effect(
      SandboxAccess,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const isDemoPresent = yield* Ref.make(false)
        const findDemoOperator = Effect.flatMap(
          readDemoOperatorExists(sql`SELECT EXISTS (SELECT FROM accounts WHERE lower(email) = ${demoEmail}) AS found`),
          ({ found }) => Effect.as(Ref.set(isDemoPresent, found), found)
        )
        return {
          isAllowed: Effect.flatMap(Ref.get(isDemoPresent), (found) =>
            found ? Effect.succeed(true) : findDemoOperator
          )
        }
      })
    )
}
