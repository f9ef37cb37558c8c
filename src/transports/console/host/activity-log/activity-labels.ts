import { Api, type OperationName } from "../../../../service/Api.ts"
import { ACCESS_PATH } from "../../host/urls.ts"
import type { AuditLogChange } from "../../queries/History.ts"
import { channelName } from "../channel-names.ts"
import { toWords } from "../page-parts.ts"
import {
  AUTOMATION_PATH,
  CATEGORIES_PATH,
  CHANNELS_PATH,
  ICAL_SYNC_PATH,
  KNOWLEDGE_PATH,
  listingUrl,
  messagesUrl,
  moneyUrl,
  PEOPLE_PATH,
  PROPERTIES_PATH,
  reservationsUrl,
  reviewsUrl,
  stayUrl,
  tasksUrl
} from "../urls.ts"
import { OPERATION_LABELS } from "./operation-labels.ts"

const capitalize = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

const isOperation = (name: string): name is OperationName => Object.hasOwn(Api, name)

/** Actions that are not operations of the API. */
const ACTION_LABELS: Readonly<Record<string, string>> = {
  // Forms of the console.
  sign_in: "Signed in",
  change_password: "Password changed",
  reset_password: "Password reset by mail",
  verify_email: "E-mail address confirmed",
  authorize: "Application allowed",
  // Names that earlier releases wrote into the audit log.
  make_token: "Access token created",
  delete_token: "Access token deleted",
  replay_delivery: "Webhook delivery sent again",
  make_rule: "Rule added",
  pause_rule: "Rule paused",
  resume_rule: "Rule resumed",
  remove_rule: "Rule deleted",
  stop_letting: "Property deactivated",
  let_again: "Property activated",
  link: "Listing mapped",
  unlink: "Listing unmapped",
  ratio: "Listing markup changed",
  feed: "iCal export created",
  renew: "iCal export URL replaced",
  follow: "iCal import added",
  fetch: "iCal import refreshed",
  remove: "iCal import removed",
  accept_calendar: "iCal import accepted",
  update_calendar: "iCal import edited",
  // Actions of the service itself.
  "time out order": "Booking request expired",
  "settle waiting payments": "Payment of a channel recorded",
  "import calendar": "iCal dates imported",
  "open reviews": "Review opened after check-out",
  "expire offers": "Special offer expired",
  "end unused connections": "Unused connection ended",
  "run plan": "Rule applied",
  "plan tasks": "Task planned by a rule",
  "answer guest": "Guest question answered",
  "guest erase": "Guest data erased",
  "demo seed": "Demo data created",
  "test operator": "Test account created",
  // Actions of guests in the guest portal.
  "tell arrival time": "Guest entered the arrival time",
  "hand in identity document": "Guest uploaded an ID document"
}

/** By the type of the channel's event. */
const CHANNEL_EVENT_LABELS: Readonly<Record<string, string>> = {
  account: "Channel account updated",
  listing: "Listing updated",
  order: "Order received",
  payment: "Payment received",
  refund: "Refund received",
  thread: "Conversation updated",
  message: "Message received",
  offer: "Special offer updated",
  review: "Review received"
}

const COMMAND_LINE = "command line"

const CHANNEL_EVENT_PREFIX = "ingest "

const findLabel = (labels: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined

export const actionLabel = ({ application, operation }: Pick<AuditLogChange, "application" | "operation">): string => {
  if (application === COMMAND_LINE) return `Changed by the administrator: ${operation}`
  const label = isOperation(operation) ? OPERATION_LABELS[operation] : findLabel(ACTION_LABELS, operation)
  const eventLabel = operation.startsWith(CHANNEL_EVENT_PREFIX)
    ? findLabel(CHANNEL_EVENT_LABELS, operation.slice(CHANNEL_EVENT_PREFIX.length))
    : undefined
  return label ?? eventLabel ?? capitalize(toWords(operation))
}

const SYSTEM_ACTOR_LABELS: Readonly<Record<string, string>> = {
  Latchkey: "System",
  service: "System",
  retention: "System",
  automation: "Automation",
  guest: "Guest",
  [COMMAND_LINE]: "Administrator",
  sandbox: "Sandbox"
}

const CHANNEL_PREFIX = "channel "

export const systemActorLabel = (application: string): string => {
  if (application.startsWith(CHANNEL_PREFIX)) return channelName(application.slice(CHANNEL_PREFIX.length))
  return findLabel(SYSTEM_ACTOR_LABELS, application) ?? application
}

export const applicationLabel = (application: string): string =>
  application === "console" ? "in the console" : `via ${application}`

interface RecordKind {
  readonly label: string
  readonly url?: (key: string, entry: AuditLogChange) => string | undefined
}

const makeConstantUrl = (url: string) => () => url

const RECORD_KINDS: Readonly<Record<string, RecordKind>> = {
  account: { label: "Account", url: makeConstantUrl(PEOPLE_PATH) },
  application: { label: "Application", url: makeConstantUrl(ACCESS_PATH) },
  automation_plan: { label: "Planned action", url: makeConstantUrl(`${AUTOMATION_PATH}#upcoming`) },
  automation_rule: { label: "Rule", url: makeConstantUrl(AUTOMATION_PATH) },
  calendar_share_link: { label: "Shared calendar", url: makeConstantUrl(ICAL_SYNC_PATH) },
  channel_account: { label: "Channel account", url: makeConstantUrl(CHANNELS_PATH) },
  connection: { label: "Connected application", url: makeConstantUrl(ACCESS_PATH) },
  conversation: { label: "Conversation", url: (id) => messagesUrl({ id }) },
  dictionary: { label: "Category", url: makeConstantUrl(CATEGORIES_PATH) },
  event_consumer: { label: "Event feed reader", url: makeConstantUrl(`${ACCESS_PATH}#webhooks`) },
  group: { label: "Property group", url: makeConstantUrl(PROPERTIES_PATH) },
  imported_calendar: { label: "iCal import", url: makeConstantUrl(ICAL_SYNC_PATH) },
  knowledge_base: {
    label: "Knowledge article",
    url: (id, { name }) => (name === null ? undefined : `${KNOWLEDGE_PATH}?change=${id}`)
  },
  listing: { label: "Listing", url: (id) => listingUrl(Number(id)) },
  operator: { label: "Your business" },
  property: { label: "Property", url: makeConstantUrl(PROPERTIES_PATH) },
  property_feed: { label: "iCal export", url: makeConstantUrl(ICAL_SYNC_PATH) },
  quote: { label: "Quote" },
  reservation: {
    label: "Reservation",
    url: (q, { leads_to }) => (leads_to === null ? reservationsUrl({ q }) : stayUrl(leads_to))
  },
  reservation_tag: { label: "Reservation tag", url: makeConstantUrl(CATEGORIES_PATH) },
  review: { label: "Review", url: makeConstantUrl(reviewsUrl()) },
  room_type: { label: "Room type", url: makeConstantUrl(PROPERTIES_PATH) },
  special_offer: { label: "Special offer", url: makeConstantUrl(messagesUrl()) },
  staff: { label: "Staff member", url: makeConstantUrl(PEOPLE_PATH) },
  tag: { label: "Property tag", url: makeConstantUrl(PROPERTIES_PATH) },
  task: { label: "Task", url: makeConstantUrl(tasksUrl()) },
  token: { label: "Access token", url: makeConstantUrl(ACCESS_PATH) },
  transaction: {
    label: "Income or expense",
    url: (_id, { leads_to }) => moneyUrl(leads_to === null ? {} : { order: leads_to })
  },
  webhook: { label: "Webhook", url: makeConstantUrl(`${ACCESS_PATH}#webhooks`) }
}

interface RecordLabel {
  readonly label: string
  readonly url: string | undefined
}

/** Hosts know these keys. Other records without a name are shown by their kind alone. */
const KINDS_SHOWN_BY_KEY = new Set(["reservation", "event_consumer"])

/** Returns the record's name where it has one, as `Rule “Before arrival”` or `Reservation 5-ABC (Ada)`. */
export const toRecordLabel = (entry: AuditLogChange): RecordLabel => {
  const [kind = "", ...rest] = entry.record.split(":")
  const key = rest.join(":")
  const { label: kindLabel, url } = (Object.hasOwn(RECORD_KINDS, kind) ? RECORD_KINDS[kind] : undefined) ?? {
    label: capitalize(toWords(kind))
  }
  const name = entry.name === null || entry.name === "" ? undefined : entry.name
  const nameParts = KINDS_SHOWN_BY_KEY.has(kind)
    ? [key, ...(name === undefined ? [] : [`(${name})`])]
    : name === undefined
      ? []
      : [`“${name}”`]
  return { label: [kindLabel, ...nameParts].join(" "), url: url?.(key, entry) }
}
