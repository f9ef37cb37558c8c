import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { NotFound } from "../../../contract/errors.ts"
import type { ChannelAccountRef } from "../port/event-handling.ts"

export const accountExistsCondition = (sql: SqlClient, operatorId: number, id: number | undefined): Fragment =>
  id === undefined
    ? sql`true`
    : sql`EXISTS (SELECT FROM channel_accounts WHERE operator_id = ${operatorId} AND id = ${id})`

export const channelAccountSql = (
  sql: SqlClient,
  { operatorId, accountId, channelType }: ChannelAccountRef
): Fragment => sql`
  SELECT operator_id, id, channel_type FROM channel_accounts
  WHERE operator_id = ${operatorId} AND id = ${accountId} AND channel_type = ${channelType}`

export const channelAccountNotFoundError = new NotFound({ message: "channel_account_id: no such account." })

/** True if `order`, an alias of `orders`, belongs to another account that is not disconnected. */
export const belongsToOtherAccountCondition = (sql: SqlClient, order: Fragment, accountId: number): Fragment => sql`
  EXISTS (SELECT FROM channel_accounts a
    WHERE a.operator_id = ${order}.operator_id AND a.id = ${order}.channel_account_id
      AND a.id <> ${accountId} AND a.auth_status <> 'disconnected')`
