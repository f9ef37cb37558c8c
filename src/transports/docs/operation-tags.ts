import type { OperationDescription } from "./operation-descriptions.ts"

export interface OperationTag {
  readonly name: string
  readonly title: string
  readonly description: string
}

/** Groups of operations in OpenAPI and on the site: the tool categories, and `webhook`, `event` and `oauth`. */
export const OPERATION_TAGS: ReadonlyArray<OperationTag> = [
  {
    name: "reservation",
    title: "Reservations",
    description: "Reservations and stays, their tags, reviews and special offers."
  },
  {
    name: "property",
    title: "Properties",
    description: "Properties, room types, groups, tags, channel accounts and listings."
  },
  {
    name: "calendar",
    title: "Calendars and prices",
    description: "Availability, prices and restrictions, and shared, imported and exported calendars."
  },
  { name: "finance", title: "Finance", description: "Income and expense entries, and the dictionaries they use." },
  { name: "task", title: "Tasks and staff", description: "Tasks and the staff who do them." },
  {
    name: "knowledge_base",
    title: "Knowledge base",
    description: "Texts from which the questions of guests are answered."
  },
  { name: "messaging", title: "Messages", description: "Conversations with guests." },
  { name: "automation", title: "Automation", description: "Rules and their upcoming actions." },
  { name: "meta", title: "Tags, fields, channels", description: "Tags, custom fields and custom channels." },
  { name: "webhook", title: "Webhooks", description: "Subscriptions to events." },
  { name: "event", title: "Event feed", description: "The feed of events and its consumers." },
  { name: "oauth", title: "OAuth", description: "Issue and revoke tokens." }
]

const TAG_BY_PATH: Readonly<Record<string, string>> = {
  webhooks: "webhook",
  events: "event",
  event_consumers: "event",
  oauth: "oauth"
}

export const operationTagName = ({ path, family }: Pick<OperationDescription, "path" | "family">): string =>
  TAG_BY_PATH[path.split("/")[1] ?? ""] ?? family.category
