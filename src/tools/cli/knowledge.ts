import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { askerNamed } from "../../domain/knowledge/search/asker.ts"
import { type AnswerSentence, KnowledgeAnswers } from "../../domain/knowledge/search/KnowledgeAnswers.ts"
import { AnswerStore } from "../../domain/knowledge/search/store.ts"
import { answer } from "./answer.ts"

const ask = Command.make(
  "ask",
  {
    operator: Flag.Int("operator").pipe(Flag.withDescription("operator_id whose knowledge base is asked")),
    stay: Flag.String("stay").pipe(
      Flag.withDescription("stay_code of the guest who asks; without it a stranger does"),
      Flag.optional
    ),
    question: Argument.String("question").pipe(Argument.withDescription("What the guest writes, in any language"))
  },
  ({ operator, stay, question }) =>
    answer(
      "knowledge ask",
      Effect.gen(function* () {
        const asking = yield* askerNamed(operator, Option.getOrUndefined(stay))
        return { sentences: yield* KnowledgeAnswers.use((answers) => answers.ask(operator, asking, [question])) }
      }).pipe(Effect.provide([AnswerStore.layer, KnowledgeAnswers.layer])),
      ({ sentences }) => (sentences.length === 0 ? "No answer." : sentences.map(inWords).join("\n"))
    )
).pipe(
  Command.withDescription("What the knowledge base answers a guest: nothing where nothing is good enough"),
  Command.withExamples([
    {
      command: 'latchkey knowledge ask --operator 1 --stay 5-ABC "What is the Wi-Fi password?"',
      description: "As the guest of a stay: a stranger is answered from entries for anyone alone"
    }
  ])
)

/** What a host wrote is quoted, so that nothing in it moves the cursor. */
const inWords = ({ text, knowledge_base_id, title, sub_title }: AnswerSentence): string =>
  `${JSON.stringify(text)}  (entry ${knowledge_base_id} ${JSON.stringify(title)}, ${JSON.stringify(sub_title)})`

export const knowledge = Command.make("knowledge").pipe(
  Command.withDescription("The knowledge base: what it would answer a guest"),
  Command.withSubcommands([ask])
)
