import type { Described } from "./described.ts"

// What documents file operations under: the categories of tools, and three more for what is no tool.

export const TAGS: ReadonlyArray<{ readonly name: string; readonly description: string }> = [
  { name: "reservation", description: "Orders and stays, their tags, reviews and special offers." },
  { name: "property", description: "Properties, room types, groups, tags, channel accounts and listings." },
  { name: "calendar", description: "What can be sold on which day, at what price, and who may see it." },
  { name: "finance", description: "Income and expense entries, and the dictionaries they use." },
  { name: "task", description: "Tasks and the staff who do them." },
  { name: "knowledge_base", description: "What a host knows and guests ask." },
  { name: "messaging", description: "Conversations with guests." },
  { name: "automation", description: "What rules are about to do." },
  { name: "meta", description: "Tags, custom fields and custom channels." },
  { name: "webhook", description: "Subscriptions to events." },
  { name: "event", description: "The feed of events and its consumers." },
  { name: "oauth", description: "Where tokens come from and where they end." }
]

const BY_PATH: Readonly<Record<string, string>> = {
  webhooks: "webhook",
  events: "event",
  event_consumers: "event",
  oauth: "oauth"
}

export const tagOf = ({ path, family }: Pick<Described, "path" | "family">): string =>
  BY_PATH[path.split("/")[1] ?? ""] ?? family.category
