import type { StoredRule } from "../../../../domain/automation/rules/rule.ts"
import { getMessageLimit } from "../../../../domain/channels/port/message-limits.ts"
import type { RuleBookData } from "../../queries/RuleBook.ts"
import { channelName } from "../channel-names.ts"
import { pluralize } from "../page-parts.ts"

type RuleBook = Pick<RuleBookData, "connected_channels" | "inactive_property_ids" | "text_lengths">

/** Channels whose guests the rule would write to. */
const channelsOf = ({ definition: { channel_types } }: StoredRule, { connected_channels }: RuleBook) =>
  channel_types === undefined
    ? connected_channels
    : connected_channels.filter((channel) => channel_types.some((each) => each === channel))

const findChannelReason = (rule: StoredRule, ruleBook: RuleBook): ReadonlyArray<string> => {
  const { channel_types } = rule.definition
  if (rule.definition.action === "task" || channelsOf(rule, ruleBook).length > 0) return []
  return channel_types === undefined
    ? ["No channel is connected."]
    : [`${channel_types.map(channelName).join(", ")}: not connected.`]
}

const findPropertyReason = ({ definition: { property_ids } }: StoredRule, { inactive_property_ids }: RuleBook) =>
  property_ids?.every((id) => inactive_property_ids.includes(id)) === true ? ["All its properties are inactive."] : []

const findLengthReasons = (rule: StoredRule, ruleBook: RuleBook): ReadonlyArray<string> => {
  const length = ruleBook.text_lengths[String(rule.id)]
  if (rule.definition.action !== "send_message" || length === undefined) return []
  return channelsOf(rule, ruleBook)
    .filter((channel) => getMessageLimit(channel) < length)
    .map(
      (channel) =>
        `${channelName(channel)}: the text has ${pluralize(length, "character")}, ${getMessageLimit(channel).toLocaleString("en")} max.`
    )
}

/** Returns why the rule would send nothing, or nothing on a channel. */
export const findNeverSentReasons = (rule: StoredRule, ruleBook: RuleBook): ReadonlyArray<string> =>
  rule.state === "paused"
    ? ["The rule is paused."]
    : [
        ...findChannelReason(rule, ruleBook),
        ...findPropertyReason(rule, ruleBook),
        ...findLengthReasons(rule, ruleBook)
      ]
