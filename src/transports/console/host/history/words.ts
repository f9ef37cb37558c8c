import { summaryOf } from "../../../../contract/operation.ts"
import { Api, type OperationName } from "../../../../service/Api.ts"
import { ACCESS_PATH } from "../../frame.ts"
import type { Happened } from "../../queries/History.ts"
import {
  AUTOMATION_PATH,
  CALENDARS_PATH,
  CHANNELS_PATH,
  KNOWLEDGE_PATH,
  listingAddress,
  messagesAddress,
  moneyAddress,
  PEOPLE_PATH,
  PROPERTIES_PATH,
  reservationsAddress,
  reviewsAddress,
  stayAddress,
  tasksAddress,
  WORDS_PATH
} from "../addresses.ts"
import { channelWords } from "../channel-words.ts"
import { spoken } from "../parts.ts"

// The trail in a host's words: what was done, to what, and through what.

const sentence = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`

const isOperation = (name: string): name is OperationName => Object.hasOwn(Api, name)

/** What is no operation of the API, by its name in the trail; of what stands nowhere the name itself is said. */
const ACTS: Readonly<Record<string, string>> = {
  // Forms of the console that no operation stands behind.
  sign_in: "Signed in",
  change_password: "Changed a password",
  authorize: "Let an application in",
  disconnect_application: "Disconnected an application",
  make_token: "Made a token",
  delete_token: "Deleted a token",
  pause_webhook: "Paused a webhook",
  rotate_webhook_secret: "Gave a webhook another secret",
  replay_delivery: "Sent an event to a webhook again",
  make_rule: "Made a rule",
  pause_rule: "Paused a rule",
  resume_rule: "Let a rule act again",
  remove_rule: "Removed a rule",
  approve_check_in: "Approved a check-in",
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
  // The service at work.
  "time out order": "A booking request was answered by nobody in time",
  "settle waiting payments": "Entered a payment that had waited for its reservation",
  "import calendar": "Took over days of a calendar elsewhere",
  "open reviews": "Opened the review of a stay that is over",
  "expire offers": "An offer ran out",
  "end unused connections": "Ended a connection that nobody used",
  "run plan": "Did what a rule says",
  "answer guest": "Answered a guest's question",
  "demo seed": "Set up the demo",
  // Guests, on the page of their stay.
  "tell arrival time": "A guest told when they arrive",
  "hand in identity document": "A guest handed in a document"
}

const COMMANDS = "command line"

export const doneWords = ({ application, operation }: Pick<Happened, "application" | "operation">): string => {
  if (application === COMMANDS) return `By a command: ${operation}`
  if (isOperation(operation)) return summaryOf(Api[operation])
  const heard = operation.startsWith("ingest ") ? `A channel told: ${operation.slice("ingest ".length)}` : undefined
  return (Object.hasOwn(ACTS, operation) ? ACTS[operation] : undefined) ?? heard ?? sentence(spoken(operation))
}

/** Where nobody's account acts: the part of the service that does, or who runs it. */
const ITSELF: Readonly<Record<string, string>> = {
  Latchkey: "the service itself",
  service: "the service itself",
  automation: "your rules",
  guest: "a guest",
  [COMMANDS]: "who runs the service",
  sandbox: "the sandbox"
}

const CHANNEL = "channel "

/** Who acted, where it was no account. */
export const itselfWords = (application: string): string => {
  if (application.startsWith(CHANNEL)) return channelWords(application.slice(CHANNEL.length))
  return (Object.hasOwn(ITSELF, application) ? ITSELF[application] : undefined) ?? application
}

/** By what an account acted: a page of the console, or an application or token by its name. */
export const byWords = (application: string): string =>
  application === "console" ? "on a page of the console" : `with “${application}”`

interface Kind {
  readonly words: string
  /** The page of such a record; undefined: it has none, or is gone. */
  readonly address?: (key: string, happened: Happened) => string | undefined
}

const to = (address: string) => () => address

const KINDS: Readonly<Record<string, Kind>> = {
  account: { words: "Account", address: to(PEOPLE_PATH) },
  application: { words: "Application", address: to(ACCESS_PATH) },
  automation_plan: { words: "Planned action", address: to(`${AUTOMATION_PATH}#upcoming`) },
  automation_rule: { words: "Rule", address: to(AUTOMATION_PATH) },
  calendar_share_link: { words: "Shared calendar", address: to(CALENDARS_PATH) },
  channel_account: { words: "Channel account", address: to(CHANNELS_PATH) },
  connection: { words: "Connected application", address: to(ACCESS_PATH) },
  conversation: { words: "Conversation", address: (id) => messagesAddress({ id }) },
  dictionary: { words: "Word of your own", address: to(WORDS_PATH) },
  event_consumer: { words: "Reader of events", address: to(`${ACCESS_PATH}#webhooks`) },
  group: { words: "Group", address: to(PROPERTIES_PATH) },
  imported_calendar: { words: "Calendar elsewhere", address: to(CALENDARS_PATH) },
  knowledge_base: {
    words: "Entry of the knowledge base",
    address: (id, { name }) => (name === null ? undefined : `${KNOWLEDGE_PATH}?change=${id}`)
  },
  listing: { words: "Listing", address: (id) => listingAddress(Number(id)) },
  operator: { words: "Your business" },
  property: { words: "Property", address: to(PROPERTIES_PATH) },
  property_feed: { words: "Calendar for elsewhere", address: to(CALENDARS_PATH) },
  reservation: {
    words: "Reservation",
    address: (q, { leads_to }) => (leads_to === null ? reservationsAddress({ q }) : stayAddress(leads_to))
  },
  reservation_tag: { words: "Tag of reservations", address: to(WORDS_PATH) },
  review: { words: "Review", address: to(reviewsAddress()) },
  room_type: { words: "Room type", address: to(PROPERTIES_PATH) },
  special_offer: { words: "Special offer", address: to(messagesAddress()) },
  staff: { words: "Person of the staff", address: to(PEOPLE_PATH) },
  tag: { words: "Tag of properties", address: to(PROPERTIES_PATH) },
  task: { words: "Task", address: to(tasksAddress()) },
  token: { words: "Token", address: to(ACCESS_PATH) },
  transaction: {
    words: "Entry of income or expense",
    address: (_id, { leads_to }) => moneyAddress(leads_to === null ? {} : { order: leads_to })
  },
  webhook: { words: "Webhook", address: to(`${ACCESS_PATH}#webhooks`) }
}

export interface RecordWords {
  readonly words: string
  readonly address: string | undefined
}

/** Kinds of records whose key a person knows; others are by their name, or by number where they have none. */
const KNOWN_BY_KEY = new Set(["reservation", "event_consumer"])

export const recordWords = (happened: Happened): RecordWords => {
  const [kind = "", ...rest] = happened.record.split(":")
  const key = rest.join(":")
  const { words, address } = (Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined) ?? { words: sentence(spoken(kind)) }
  const name = happened.name === null || happened.name === "" ? undefined : happened.name
  const called = KNOWN_BY_KEY.has(kind)
    ? [key, ...(name === undefined ? [] : [`(${name})`])]
    : [name === undefined ? `number ${key}` : `“${name}”`]
  return { words: [words, ...called].join(" "), address: address?.(key, happened) }
}
