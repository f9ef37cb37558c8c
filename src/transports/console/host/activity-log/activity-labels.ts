import { summaryOf } from "../../../../contract/operation.ts"
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

const capitalize = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

const isOperation = (name: string): name is OperationName => Object.hasOwn(Api, name)

/** Actions that are not operations of the API. */
const ACTION_LABELS: Readonly<Record<string, string>> = {
  // Forms of the console.
  sign_in: "Signed in",
  change_password: "Changed a password",
  reset_password: "Reset the password by a mailed link",
  verify_email: "Confirmed the e-mail address",
  authorize: "Let an application in",
  // Names that earlier releases wrote into the audit log.
  make_token: "Made a token",
  delete_token: "Deleted a token",
  replay_delivery: "Sent an event to a webhook again",
  make_rule: "Made a rule",
  pause_rule: "Paused a rule",
  resume_rule: "Let a rule act again",
  remove_rule: "Removed a rule",
  stop_letting: "Took a property off the market",
  let_again: "Let a property again",
  link: "Linked a listing to its property",
  unlink: "Took the link of a listing away",
  ratio: "Set the share of a price that a listing asks",
  feed: "Made the address of a calendar",
  renew: "Replaced the address of a calendar",
  follow: "Followed a calendar elsewhere",
  fetch: "Fetched a calendar elsewhere",
  remove: "Stopped following a calendar elsewhere",
  accept_calendar: "Accepted an imported calendar as read",
  update_calendar: "Changed the settings of an imported calendar",
  // Actions of the service itself.
  "time out order": "A booking request was answered by nobody in time",
  "settle waiting payments": "Entered a payment that had waited for its reservation",
  "import calendar": "Took over days of a calendar elsewhere",
  "open reviews": "Opened the review of a stay that is over",
  "expire offers": "An offer ran out",
  "end unused connections": "Ended a connection that nobody used",
  "run plan": "Did what a rule says",
  "answer guest": "Answered a guest's question",
  "demo seed": "Set up the demo",
  // Actions of guests in the guest portal.
  "tell arrival time": "A guest told when they arrive",
  "hand in identity document": "A guest handed in a document"
}

const COMMAND_LINE = "command line"

export const actionLabel = ({ application, operation }: Pick<AuditLogChange, "application" | "operation">): string => {
  if (application === COMMAND_LINE) return `By a command: ${operation}`
  // In a summary, the text after a semicolon is only for callers of the API.
  if (isOperation(operation)) return summaryOf(Api[operation]).split("; ", 1).join()
  const ingestLabel = operation.startsWith("ingest ")
    ? `A channel told: ${operation.slice("ingest ".length)}`
    : undefined
  return (
    (Object.hasOwn(ACTION_LABELS, operation) ? ACTION_LABELS[operation] : undefined) ??
    ingestLabel ??
    capitalize(toWords(operation))
  )
}

const SYSTEM_ACTOR_LABELS: Readonly<Record<string, string>> = {
  Latchkey: "the service itself",
  service: "the service itself",
  automation: "your rules",
  guest: "a guest",
  [COMMAND_LINE]: "who runs the service",
  sandbox: "the sandbox"
}

const CHANNEL_PREFIX = "channel "

export const systemActorLabel = (application: string): string => {
  if (application.startsWith(CHANNEL_PREFIX)) return channelName(application.slice(CHANNEL_PREFIX.length))
  return (Object.hasOwn(SYSTEM_ACTOR_LABELS, application) ? SYSTEM_ACTOR_LABELS[application] : undefined) ?? application
}

export const applicationLabel = (application: string): string =>
  application === "console" ? "on a page of the console" : `with “${application}”`

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
  dictionary: { label: "Word of your own", url: makeConstantUrl(CATEGORIES_PATH) },
  event_consumer: { label: "Reader of events", url: makeConstantUrl(`${ACCESS_PATH}#webhooks`) },
  group: { label: "Group", url: makeConstantUrl(PROPERTIES_PATH) },
  imported_calendar: { label: "Calendar elsewhere", url: makeConstantUrl(ICAL_SYNC_PATH) },
  knowledge_base: {
    label: "Entry of the knowledge base",
    url: (id, { name }) => (name === null ? undefined : `${KNOWLEDGE_PATH}?change=${id}`)
  },
  listing: { label: "Listing", url: (id) => listingUrl(Number(id)) },
  operator: { label: "Your business" },
  property: { label: "Property", url: makeConstantUrl(PROPERTIES_PATH) },
  property_feed: { label: "Calendar for elsewhere", url: makeConstantUrl(ICAL_SYNC_PATH) },
  quote: { label: "Quote" },
  reservation: {
    label: "Reservation",
    url: (q, { leads_to }) => (leads_to === null ? reservationsUrl({ q }) : stayUrl(leads_to))
  },
  reservation_tag: { label: "Tag of reservations", url: makeConstantUrl(CATEGORIES_PATH) },
  review: { label: "Review", url: makeConstantUrl(reviewsUrl()) },
  room_type: { label: "Room type", url: makeConstantUrl(PROPERTIES_PATH) },
  special_offer: { label: "Special offer", url: makeConstantUrl(messagesUrl()) },
  staff: { label: "Person of the staff", url: makeConstantUrl(PEOPLE_PATH) },
  tag: { label: "Tag of properties", url: makeConstantUrl(PROPERTIES_PATH) },
  task: { label: "Task", url: makeConstantUrl(tasksUrl()) },
  token: { label: "Token", url: makeConstantUrl(ACCESS_PATH) },
  transaction: {
    label: "Entry of income or expense",
    url: (_id, { leads_to }) => moneyUrl(leads_to === null ? {} : { order: leads_to })
  },
  webhook: { label: "Webhook", url: makeConstantUrl(`${ACCESS_PATH}#webhooks`) }
}

interface RecordLabel {
  readonly label: string
  readonly url: string | undefined
}

/** Hosts know the keys of these records, such as reservation codes. */
const KINDS_SHOWN_BY_KEY = new Set(["reservation", "event_consumer"])

export const toRecordLabel = (entry: AuditLogChange): RecordLabel => {
  const [kind = "", ...rest] = entry.record.split(":")
  const key = rest.join(":")
  const { label: kindLabel, url } = (Object.hasOwn(RECORD_KINDS, kind) ? RECORD_KINDS[kind] : undefined) ?? {
    label: capitalize(toWords(kind))
  }
  const name = entry.name === null || entry.name === "" ? undefined : entry.name
  const nameParts = KINDS_SHOWN_BY_KEY.has(kind)
    ? [key, ...(name === undefined ? [] : [`(${name})`])]
    : [name === undefined ? `number ${key}` : `“${name}”`]
  return { label: [kindLabel, ...nameParts].join(" "), url: url?.(key, entry) }
}
