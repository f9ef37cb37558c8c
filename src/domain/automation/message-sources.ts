import type { MessageSource, MessageSourceType } from "../guests/conversations/contract.ts"
import type { FilledTemplate } from "./rules/template.ts"

// Sources of automatic messages (specification, Conversation message). `link_id` is the id of a property
// (`checkin_guide`), rule (`automation_reply`) or knowledge-base entry (`host_knowledge`). Other sources have no link.

export const NO_LINK_ID = -1

export interface SourceDoc {
  readonly type: MessageSourceType
  readonly title: string
  readonly fragment: ReadonlyArray<string>
  readonly link_id: number
}

export interface RenderedRuleText extends FilledTemplate {
  readonly rule_id: number
  readonly name: string
  readonly title: string | null
  readonly property_id: number | null
}

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

export const toMessageSources = (docs: ReadonlyArray<SourceDoc>): ReadonlyArray<typeof MessageSource.Type> =>
  Array.from(
    Map.groupBy(docs, ({ type }) => type),
    ([type, typeDocs]) => ({
      type,
      docs: typeDocs.map(({ title, fragment, link_id }) => ({ title, fragment, source_type: type, link_id }))
    })
  )

export const ASSISTANT_NAME = "Assistant"
