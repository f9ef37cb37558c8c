import { WEBHOOK_TEXTS } from "./webhook-texts.ts"

const formatEventCount = (lag: number, countLimit: number): string => {
  if (lag >= countLimit) return `${countLimit.toLocaleString("en")} events or more`
  return lag === 1 ? "1 event" : `${lag.toLocaleString("en")} events`
}

/** Texts of the page of tokens, applications, webhooks and event feed readers. */
export const ACCESS_TEXTS = {
  title: "API & webhooks (OpenAPI settings)",
  done: {
    done: "Done.",
    webhook_changed: "Webhook saved. Queued deliveries are sent now.",
    webhook_paused: "Webhook paused. Nothing is sent until you resume it.",
    webhook_resumed: "Webhook resumed. Queued deliveries are sent now.",
    webhook_deleted: "Webhook deleted. Queued deliveries are not sent.",
    delivery_sent_again: "The delivery is sent again. Reload this page in a moment to see the response.",
    delivery_waits_for_resume: "The delivery is queued, because the webhook is paused. It is sent when you resume it.",
    delivery_waits_for_rest:
      "The delivery is queued, because the webhook waits after failures. It is sent when the receiver works again, or at once if you save the settings.",
    token_deleted: "Token deleted. Programs that use it lose access within seconds.",
    already_done: "You already sent this form. It took effect then, and nothing has changed now.",
    application_disconnected:
      "Application disconnected. Its tokens stop working within seconds. Its webhooks, automation rules and feeds have ended.",
    consumer_deleted: "Event feed reader deleted."
  },
  never: "never",
  scopes: { "read-only": "Read-only", writable: "Read and write" },
  tokens: {
    title: "Access tokens",
    text: "An access token lets one of your programs, or an AI agent, call the API. Make one for each program, so that you can delete one without the others.",
    linkText: "More about access tokens",
    none: "No access tokens yet. Create one below.",
    caption: "Active tokens, newest first",
    name: "Name",
    scope: "Permissions",
    account: "Account",
    createdAt: "Created",
    lastUsed: "Last used",
    withdraw: "Delete",
    revocationConsequence: (name: string) =>
      `Programs that use “${name}” lose access within seconds. Its webhooks stay. You cannot restore a deleted token.`,
    older: "Older tokens",
    newer: "Newer tokens",
    new: "New token",
    nameHint: "For example the name of the program that uses it.",
    scopes: {
      "read-only": "Read-only: sees everything, changes nothing",
      writable: "Read and write: can also change everything"
    },
    scopeFixedNote: "You cannot change the permissions of a token later.",
    createToken: "Create token",
    noSuch: "This token does not exist. It may be deleted already.",
    createdTitle: (name: string) => `Token “${name}” created`,
    copyTokenNow: "Copy the token now. We show it only once.",
    firstCallHint: "A first call with it:",
    reloadWarning: "If you reload this page, the token is not shown again. Continue with the link.",
    repeatedToken:
      "You already sent this form, and the token was created. We show it only once: if you did not copy it, delete it and create another.",
    continueLink: "I have copied it"
  },
  applications: {
    title: "Connected applications",
    text: "Software and AI agents to which you gave access. They do not know your password, and you can disconnect each of them.",
    linkText: "More about connected applications",
    none: "No applications are connected. To connect one, start in the application itself.",
    caption: "Connections, newest first",
    name: "Application",
    scope: "Permissions",
    account: "Account",
    connectedAt: "Connected",
    lastUsed: "Last used",
    withdraw: "Disconnect",
    revocationConsequence: (name: string) =>
      `“${name}” loses its access within seconds. Its tokens, webhooks, automation rules and property feeds end too. It can ask you for access again.`,
    noSuch: "This connection does not exist. It may have ended already."
  },
  consumers: {
    title: "Event feed readers",
    text: "Programs that read the event feed and store their position in it.",
    linkText: "More about the event feed",
    none: "No event feed readers yet. A program appears here when it stores its position.",
    caption: "Event feed readers, by name",
    name: "Name",
    lag: "Backlog",
    oldestUnreadEvent: "Oldest unread event",
    upToDate: "none",
    events: formatEventCount,
    withdraw: "Delete",
    revocationConsequence: (name: string) =>
      `The position of “${name}” is deleted. No event is lost. If the program stores its position again, it returns.`
  },
  webhooks: WEBHOOK_TEXTS
} as const
