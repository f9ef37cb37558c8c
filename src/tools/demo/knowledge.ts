import type { DemoProperty } from "./properties.ts"

export interface DemoKnowledgeEntry {
  readonly title: string
  readonly audience: "guests" | "anyone"
  readonly city: DemoProperty["city"] | undefined
  readonly contents: readonly [DemoKnowledgeContent, ...ReadonlyArray<DemoKnowledgeContent>]
}

interface DemoKnowledgeContent {
  readonly sub_title: string
  readonly text: string
}

/** Only guests get answers with passwords and key locations. */
export const DEMO_KNOWLEDGE: ReadonlyArray<DemoKnowledgeEntry> = [
  {
    title: "Wi-Fi in Lisbon",
    audience: "guests",
    city: "Lisbon",
    contents: [
      { sub_title: "Password", text: "The Wi-Fi network is TwoHarbours. The Wi-Fi password is sardinha-azul-27." },
      {
        sub_title: "If it is slow",
        text: "The router stands in the hall. Switch it off and on again; it needs two minutes."
      }
    ]
  },
  {
    title: "Wi-Fi in Edinburgh",
    audience: "guests",
    city: "Edinburgh",
    contents: [
      { sub_title: "Password", text: "The Wi-Fi network is TwoHarbours. The Wi-Fi password is thistle-and-gorse-14." }
    ]
  },
  {
    title: "Wi-Fi em Lisboa",
    audience: "guests",
    city: "Lisbon",
    contents: [
      {
        sub_title: "Palavra-passe",
        text: "A rede Wi-Fi chama-se TwoHarbours. A palavra-passe do Wi-Fi é sardinha-azul-27."
      }
    ]
  },
  {
    title: "Late arrival",
    audience: "guests",
    city: undefined,
    contents: [
      {
        sub_title: "After ten in the evening",
        text: "You can arrive at any hour. The key is in the box on the right of the door; please be quiet on the stairs."
      }
    ]
  },
  {
    title: "Check-out",
    audience: "guests",
    city: undefined,
    contents: [
      { sub_title: "The key", text: "When you check out, put the key back into the box and close the windows." },
      { sub_title: "Rubbish", text: "Please take the rubbish down to the bins in the yard." }
    ]
  },
  {
    title: "Parking",
    audience: "anyone",
    city: undefined,
    contents: [
      { sub_title: "By car", text: "The flats have no parking of their own. A public car park is two streets away." }
    ]
  },
  {
    title: "Bagagem",
    audience: "anyone",
    city: "Lisbon",
    contents: [{ sub_title: "Antes do check-in", text: "Pode deixar a bagagem no apartamento a partir do meio-dia." }]
  },
  {
    title: "Animais de estimação",
    audience: "anyone",
    city: "Lisbon",
    contents: [{ sub_title: "Cães e gatos", text: "Os animais de estimação são bem-vindos, sem custo adicional." }]
  }
]
