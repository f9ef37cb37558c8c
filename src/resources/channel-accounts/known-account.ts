import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { NotFound } from "../../contract/errors.ts"
import type { Value } from "../../database/forms.ts"

/** Whether the operator has an account of that id; true for none: a field that was not sent names nothing wrong. */
export const accountKnown = (sql: SqlClient, operatorId: Value<number>, id: Value<number> | undefined): Fragment =>
  id === undefined
    ? sql`true`
    : sql`EXISTS (SELECT FROM channel_accounts WHERE operator_id = ${operatorId} AND id = ${id})`

/** 404 for a `channel_account_id` that is no account of the caller. */
export const noSuchAccount = new NotFound({ message: "channel_account_id: no such account." })
