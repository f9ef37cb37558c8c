/** In the order in which the console shows them. */
export const NOTIFICATION_KINDS = [
  "new_booking",
  "booking_request",
  "guest_message",
  "failing_webhook",
  "failing_calendar"
] as const

export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]
