import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { listAccounts, type OperatorAccount } from "../../../domain/access/sign-in/sub-account-store.ts"

/** The accounts of an operator, for the page of its main account. */
export class Accounts extends Context.Service<
  Accounts,
  {
    /** The main account first, then the sub-accounts as they were made. */
    readonly list: (operatorId: number) => Effect.Effect<ReadonlyArray<OperatorAccount>>
  }
>()("latchkey/transports/console/queries/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.map(SqlClient.SqlClient, (sql) => Accounts.of({ list: listAccounts(sql) }))
  )
}
