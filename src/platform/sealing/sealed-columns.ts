import type { RowSecretBinding, SecretBinding } from "./sealed-text.ts"

// All columns with secrets that must be readable. Tokens that are only compared are stored as digests, in other
// columns.

/** All names are trusted SQL. */
export interface SealedColumn {
  readonly table: string
  /** Part of the data to which each encrypted text is bound (sealed-text.ts), so it must never change. */
  readonly secretKind: string
  /** Expression of the text, and the assignment that replaces it with `$NEW`. */
  readonly textExpression: string
  readonly assignment: string
  readonly ownerColumns: ReadonlyArray<string>
  readonly keyColumns: ReadonlyArray<readonly [column: string, type: "bigint" | "text" | "bytea"]>
  /** Prefix of unencrypted secrets in a column that also has other texts. */
  readonly clearTextPrefix?: string
}

const WEBHOOK_SECRET = "signing secret of a webhook"
const RECEIVER_TOKEN = "secret token of a receiver"
const CONNECTOR_SECRET = "signing secret of a connector"
const CALENDAR_ADDRESS = "address of a calendar"
const FEED_TOKEN = "token of a feed"
const LINK_TOKEN = "token of a shared calendar"

/** The current and the former secret have the same binding, because SQL copies one to the other. */
export const webhookSecretBinding = (operatorId: number, id: number): SecretBinding => ({
  secretKind: WEBHOOK_SECRET,
  owner: [operatorId, id]
})
/** Bound to the receiver, because each of its subscriptions has a copy of the token. */
export const receiverTokenBinding = (operatorId: number, url: string): SecretBinding => ({
  secretKind: RECEIVER_TOKEN,
  owner: [operatorId, url]
})
export const connectorSecretBinding = (id: number): SecretBinding => ({ secretKind: CONNECTOR_SECRET, owner: [id] })
export const calendarAddressBinding = (operatorId: number, id: number): RowSecretBinding => ({
  secretKind: CALENDAR_ADDRESS,
  owner: [operatorId, id]
})
export const feedTokenBinding = (operatorId: number, id: number): RowSecretBinding => ({
  secretKind: FEED_TOKEN,
  owner: [operatorId, id]
})
export const linkTokenBinding = (operatorId: number, id: number): RowSecretBinding => ({
  secretKind: LINK_TOKEN,
  owner: [operatorId, id]
})

const sealedColumn = (
  table: string,
  column: string,
  { secretKind, ownerColumns, keyColumns }: Pick<SealedColumn, "secretKind" | "ownerColumns" | "keyColumns">
): SealedColumn => ({
  table,
  secretKind,
  textExpression: column,
  assignment: `${column} = $NEW`,
  ownerColumns,
  keyColumns
})

const rowKey = {
  ownerColumns: ["operator_id", "id"],
  keyColumns: [["operator_id", "bigint"] as const, ["id", "bigint"] as const]
}
const connectorSecretKey = {
  secretKind: CONNECTOR_SECRET,
  ownerColumns: ["id"],
  keyColumns: [["id", "bigint"] as const]
}

export const SEALED_COLUMNS: ReadonlyArray<SealedColumn> = [
  sealedColumn("webhook_subscriptions", "secret", { secretKind: WEBHOOK_SECRET, ...rowKey }),
  sealedColumn("webhook_subscriptions", "former_secret", { secretKind: WEBHOOK_SECRET, ...rowKey }),
  sealedColumn("webhook_subscriptions", "secret_token", {
    secretKind: RECEIVER_TOKEN,
    ...rowKey,
    ownerColumns: ["operator_id", "url"]
  }),
  sealedColumn("webhook_receivers", "secret_token", {
    secretKind: RECEIVER_TOKEN,
    ownerColumns: ["operator_id", "url"],
    keyColumns: [
      ["operator_id", "bigint"],
      ["url", "text"]
    ]
  }),
  sealedColumn("connectors", "secret", connectorSecretKey),
  sealedColumn("connectors", "former_secret", connectorSecretKey),
  sealedColumn("imported_calendars", "url", { secretKind: CALENDAR_ADDRESS, ...rowKey }),
  sealedColumn("property_feeds", "token", { secretKind: FEED_TOKEN, ...rowKey }),
  sealedColumn("calendar_share_links", "token", { secretKind: LINK_TOKEN, ...rowKey }),
  // The stored response for an Idempotency-Key has the token of a new share link.
  {
    table: "idempotency_keys",
    secretKind: LINK_TOKEN,
    textExpression: "outcome->>'token'",
    assignment: "outcome = jsonb_set(outcome, '{token}', to_jsonb($NEW))",
    ownerColumns: ["operator_id", "outcome->>'id'"],
    keyColumns: [
      ["operator_id", "bigint"],
      ["digest", "bytea"]
    ],
    clearTextPrefix: "lkcal_"
  }
]

export const toColumnLabel = ({ table, textExpression }: SealedColumn): string =>
  `${table}.${textExpression.replace(/->>'(.*)'/, ".$1")}`
