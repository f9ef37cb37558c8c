import type { MessageSource, MessageSourceType } from "../guests/conversations/contract.ts"
import type { FilledTemplate } from "./rules/template.ts"

// What an automatic message is made of, as its conversation shows it (specification, Conversation message; contract facts 4.2).
//
// - checkin_guide: what is known of the stay itself, as address, times, the way in. Its link is the property.
// - automation_reply: what a rule says. Its link is the rule.
// - host_knowledge: an entry of the host's knowledge base. Its link is the entry.
// - thread: what was said in the conversation, the guest's own question. It has no link.
// - host_assistant: words of the service's own, of which there are none so far. They would have no link.

/** The link of what has none. */
export const NO_LINK_ID = -1

export interface SourceDoc {
  readonly type: MessageSourceType
  readonly title: string
  readonly fragment: ReadonlyArray<string>
  readonly link_id: number
}

/** What a rule says, with everything in it. */
export interface RenderedRuleText extends FilledTemplate {
  readonly rule_id: number
  readonly name: string
  /** Of the property that it is about; null: it is about none. */
  readonly title: string | null
  readonly property_id: number | null
}

/** A rule's own words, and what of them is of the guide to the stay. */
export const toRuleDocs = ({
  rule_id,
  name,
  text,
  guide,
  title,
  property_id
}: RenderedRuleText): ReadonlyArray<SourceDoc> => {
  const reply: SourceDoc = { type: "automation_reply", title: name, fragment: [text], link_id: rule_id }
  const guideDoc: SourceDoc = {
    type: "checkin_guide",
    title: title ?? "",
    fragment: guide,
    link_id: property_id ?? NO_LINK_ID
  }
  return guide.length === 0 ? [reply] : [reply, guideDoc]
}

/** Groups by type, in the order in which the types first come. */
export const toMessageSources = (docs: ReadonlyArray<SourceDoc>): ReadonlyArray<typeof MessageSource.Type> =>
  Array.from(
    Map.groupBy(docs, ({ type }) => type),
    ([type, typeDocs]) => ({
      type,
      docs: typeDocs.map(({ title, fragment, link_id }) => ({ title, fragment, source_type: type, link_id }))
    })
  )

/** Who is said to write what the service sends by itself. */
export const ASSISTANT_NAME = "Assistant"
