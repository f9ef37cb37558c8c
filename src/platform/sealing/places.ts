import type { OwnPlace, Place } from "./sealed-text.ts"

// Every column that keeps a secret which has to be known again. Tokens that are only recognised are digests elsewhere.

/** A column that keeps sealed texts. Names are SQL, written here and nowhere else. */
export interface SealedColumn {
  readonly table: string
  /** What is sealed there, in words: part of what it is bound to, so one that stays as it is. */
  readonly what: string
  /** The text itself, and how it is replaced by `$NEW`. */
  readonly text: string
  readonly set: string
  /** Of the owner that the text is bound to. */
  readonly owner: ReadonlyArray<string>
  /** The primary key and its types, by which rows are gone through. */
  readonly key: ReadonlyArray<readonly [column: string, type: "bigint" | "text" | "bytea"]>
  /** How texts in the clear begin there, where the column has others too that are no secrets. */
  readonly begins?: string
}

const WEBHOOK_SECRET = "signing secret of a webhook"
const RECEIVER_TOKEN = "secret token of a receiver"
const CONNECTOR_SECRET = "signing secret of a connector"
const CALENDAR_ADDRESS = "address of a calendar"
const FEED_TOKEN = "token of a feed"
const LINK_TOKEN = "token of a shared calendar"

/** Both secrets of a subscription: the one becomes the former within the database. */
export const webhookSecret = (operatorId: number, id: number): Place => ({
  what: WEBHOOK_SECRET,
  owner: [operatorId, id]
})
/** That of a receiver, which its subscriptions have copies of. */
export const receiverToken = (operatorId: number, url: string): Place => ({
  what: RECEIVER_TOKEN,
  owner: [operatorId, url]
})
export const connectorSecret = (id: number): Place => ({ what: CONNECTOR_SECRET, owner: [id] })
export const calendarAddress = (operatorId: number, id: number): OwnPlace => ({
  what: CALENDAR_ADDRESS,
  owner: [operatorId, id]
})
export const feedToken = (operatorId: number, id: number): OwnPlace => ({ what: FEED_TOKEN, owner: [operatorId, id] })
export const linkToken = (operatorId: number, id: number): OwnPlace => ({ what: LINK_TOKEN, owner: [operatorId, id] })

const inColumn = (
  table: string,
  column: string,
  { what, owner, key }: Pick<SealedColumn, "what" | "owner" | "key">
): SealedColumn => ({ table, what, text: column, set: `${column} = $NEW`, owner, key })

const byId = { owner: ["operator_id", "id"], key: [["operator_id", "bigint"] as const, ["id", "bigint"] as const] }
const ofConnector = { what: CONNECTOR_SECRET, owner: ["id"], key: [["id", "bigint"] as const] }

export const SEALED_COLUMNS: ReadonlyArray<SealedColumn> = [
  inColumn("webhook_subscriptions", "secret", { what: WEBHOOK_SECRET, ...byId }),
  inColumn("webhook_subscriptions", "former_secret", { what: WEBHOOK_SECRET, ...byId }),
  inColumn("webhook_subscriptions", "secret_token", { what: RECEIVER_TOKEN, ...byId, owner: ["operator_id", "url"] }),
  inColumn("webhook_receivers", "secret_token", {
    what: RECEIVER_TOKEN,
    owner: ["operator_id", "url"],
    key: [
      ["operator_id", "bigint"],
      ["url", "text"]
    ]
  }),
  inColumn("connectors", "secret", ofConnector),
  inColumn("connectors", "former_secret", ofConnector),
  inColumn("imported_calendars", "url", { what: CALENDAR_ADDRESS, ...byId }),
  inColumn("property_feeds", "token", { what: FEED_TOKEN, ...byId }),
  inColumn("calendar_share_links", "token", { what: LINK_TOKEN, ...byId }),
  // What a call with a key is answered once more has the address of the link that it made.
  {
    table: "idempotency_keys",
    what: LINK_TOKEN,
    text: "outcome->>'token'",
    set: "outcome = jsonb_set(outcome, '{token}', to_jsonb($NEW))",
    owner: ["operator_id", "outcome->>'id'"],
    key: [
      ["operator_id", "bigint"],
      ["digest", "bytea"]
    ],
    begins: "lkcal_"
  }
]

/** How people are told which column it is. */
export const nameOf = ({ table, text }: SealedColumn): string => `${table}.${text.replace(/->>'(.*)'/, ".$1")}`
