import type { OperationDescription } from "./operation-descriptions.ts"

// What documents file operations under: the categories of tools, and three more for what is no tool.

export interface OperationTag {
  readonly name: string
  /** For people. */
  readonly title: string
  readonly description: string
}

export const OPERATION_TAGS: ReadonlyArray<OperationTag> = [
  {
    name: "reservation",
    title: "Reservations",
    description: "Orders and stays, their tags, reviews and special offers."
  },
  {
    name: "property",
    title: "Properties",
    description: "Properties, room types, groups, tags, channel accounts and listings."
  },
  {
    name: "calendar",
    title: "Calendars and prices",
    description: "What can be sold on which day, at what price, and who may see it."
  },
  { name: "finance", title: "Finance", description: "Income and expense entries, and the dictionaries they use." },
  { name: "task", title: "Tasks and staff", description: "Tasks and the staff who do them." },
  { name: "knowledge_base", title: "Knowledge base", description: "What a host knows and guests ask." },
  { name: "messaging", title: "Messages", description: "Conversations with guests." },
  { name: "automation", title: "Automation", description: "What rules are about to do." },
  { name: "meta", title: "Tags, fields, channels", description: "Tags, custom fields and custom channels." },
  { name: "webhook", title: "Webhooks", description: "Subscriptions to events." },
  { name: "event", title: "The feed", description: "The feed of events and its consumers." },
  { name: "oauth", title: "OAuth", description: "Where tokens come from and where they end." }
]

const TAG_BY_PATH: Readonly<Record<string, string>> = {
  webhooks: "webhook",
  events: "event",
  event_consumers: "event",
  oauth: "oauth"
}

export const operationTagName = ({ path, family }: Pick<OperationDescription, "path" | "family">): string =>
  TAG_BY_PATH[path.split("/")[1] ?? ""] ?? family.category
