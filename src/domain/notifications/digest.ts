import { NOTIFICATIONS_DESCRIBED_MAX } from "../../platform/limits.ts"
import type { NotificationKind } from "./kinds.ts"
import { formatDateRange, toShortText } from "./text-parts.ts"

/** The facts that a mail shows of one notification. Facts that no longer exist, such as those of an erased guest, are null. */
export interface NotificationFacts {
  readonly kind: NotificationKind
  readonly reservation_code: string | null
  readonly stay_code: string | null
  readonly property: string | null
  readonly check_in_date: string | null
  readonly check_out_date: string | null
  readonly conversation: string | null
  readonly guest_name: string | null
  readonly host: string | null
  readonly webhook_id: number | null
  readonly is_paused: boolean | null
  readonly reason: string | null
}

export interface Digest {
  readonly publicUrl: string
  /** The mail describes the first NOTIFICATIONS_DESCRIBED_MAX of them. */
  readonly notifications: ReadonlyArray<NotificationFacts>
  /** The number of notifications in the mail, with those that it does not describe. */
  readonly total: number
}

/** Paths of the console pages that mails link to. */
export const NOTIFICATION_LINKS = {
  stay: "/console/stay",
  reservations: "/console/reservations",
  messages: "/console/messages",
  webhook: "/console/access/webhooks",
  calendars: "/console/calendars",
  choices: "/console/notifications"
} as const

const TITLES: Readonly<Record<NotificationKind, string>> = {
  new_booking: "New booking",
  booking_request: "Booking request",
  guest_message: "Message from a guest",
  failing_webhook: "Webhook is failing",
  failing_calendar: "Calendar import is failing"
}

const titleOf = ({ kind, is_paused }: NotificationFacts): string =>
  kind === "failing_webhook" && is_paused === true ? "Webhook is paused" : TITLES[kind]

/** Only the first name, because a mail should contain little of a guest's data. */
const firstNameOf = (guestName: string | null): string | null => toShortText(guestName?.trim().split(/\s+/u)[0] ?? null)

const bookingDetails = (facts: NotificationFacts): ReadonlyArray<string | null> => [
  toShortText(facts.property),
  formatDateRange(facts.check_in_date, facts.check_out_date),
  firstNameOf(facts.guest_name),
  facts.reservation_code
]

const detailsOf = (facts: NotificationFacts): ReadonlyArray<string | null> => {
  switch (facts.kind) {
    case "new_booking":
    case "booking_request":
      return bookingDetails(facts)
    case "guest_message":
      return [firstNameOf(facts.guest_name)]
    case "failing_webhook":
      return [toShortText(facts.host)]
    case "failing_calendar":
      return [toShortText(facts.property), toShortText(facts.host), toShortText(facts.reason)]
  }
}

const toQueryString = (name: string, value: string | number): string =>
  new URLSearchParams({ [name]: String(value) }).toString()

const linkOf = ({ kind, stay_code, conversation, webhook_id }: NotificationFacts): string => {
  switch (kind) {
    case "new_booking":
    case "booking_request":
      return stay_code === null
        ? NOTIFICATION_LINKS.reservations
        : `${NOTIFICATION_LINKS.stay}?${toQueryString("code", stay_code)}`
    case "guest_message":
      return conversation === null
        ? NOTIFICATION_LINKS.messages
        : `${NOTIFICATION_LINKS.messages}?${toQueryString("id", conversation)}`
    case "failing_webhook":
      return webhook_id === null
        ? NOTIFICATION_LINKS.webhook
        : `${NOTIFICATION_LINKS.webhook}?${toQueryString("id", webhook_id)}`
    case "failing_calendar":
      return NOTIFICATION_LINKS.calendars
  }
}

const renderNotification = (publicUrl: string, facts: NotificationFacts): string => {
  const details = detailsOf(facts).filter((detail) => detail !== null && detail !== "")
  return [[titleOf(facts), ...details].join(" · "), `${publicUrl}${linkOf(facts)}`].join("\n")
}

const toSubject = ({ notifications: [first], total }: Digest): string => {
  if (first === undefined || total > 1) return `Latchkey: ${total} notifications`
  const property = toShortText(first.property)
  return property === null ? titleOf(first) : `${titleOf(first)}: ${property}`
}

/** Returns the subject and the text of a mail with all notifications of the digest. */
export const renderDigest = (digest: Digest) => {
  const { publicUrl, notifications, total } = digest
  const described = notifications.slice(0, NOTIFICATIONS_DESCRIBED_MAX)
  const remaining = total - described.length
  const paragraphs = [
    ...described.map((facts) => renderNotification(publicUrl, facts)),
    ...(remaining > 0 ? [`… and ${remaining} more. The console shows all: ${publicUrl}/console`] : []),
    `Choose what we mail to you: ${publicUrl}${NOTIFICATION_LINKS.choices}`
  ]
  return { subject: toSubject(digest), text: `${paragraphs.join("\n\n")}\n` }
}
