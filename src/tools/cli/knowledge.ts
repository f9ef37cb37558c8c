import { Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ask_knowledge_base } from "../../domain/knowledge/contract.ts"
import { callOperation, runOperationCommand } from "./operation-call.ts"

const askCommand = Command.make(
  "ask",
  {
    operator: Flag.Int("operator").pipe(Flag.withDescription("operator_id of the knowledge base")),
    stay: Flag.String("stay").pipe(
      Flag.withDescription("stay_code of the guest who asks (default: a guest without a stay)"),
      Flag.optional
    ),
    question: Argument.String("question").pipe(Argument.withDescription("Question of the guest, in any language"))
  },
  ({ operator, stay, question }) =>
    runOperationCommand(
      "knowledge ask",
      callOperation(
        ask_knowledge_base,
        operator,
        { question, stay_code: Option.getOrUndefined(stay) },
        { question: "question", stay_code: "--stay" }
      ),
      ({ sentences }) => (sentences.length === 0 ? "No answer." : sentences.map(formatSentence).join("\n"))
    )
).pipe(
  Command.withDescription("Show what the knowledge base answers a guest"),
  Command.withExamples([
    {
      command: 'latchkey knowledge ask --operator 1 --stay 5-ABC "What is the Wi-Fi password?"',
      description: "Ask as the guest of a stay"
    }
  ])
)

/** `JSON.stringify` keeps control characters away from the terminal. */
const formatSentence = ({
  text,
  knowledge_base_id,
  title,
  sub_title
}: (typeof ask_knowledge_base.successSchema.Type)["sentences"][number]): string =>
  `${JSON.stringify(text)}  (entry ${knowledge_base_id} ${JSON.stringify(title)}, ${JSON.stringify(sub_title)})`

export const knowledgeCommand = Command.make("knowledge").pipe(
  Command.withDescription("Query the knowledge base of an operator"),
  Command.withSubcommands([askCommand])
)
