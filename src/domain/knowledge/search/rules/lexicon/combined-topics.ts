/** Two meanings that together ask about a topic: a cold shower asks for hot water. */
export const COMBINED_TOPICS: ReadonlyArray<readonly [one: string, other: string, topic: string]> = [
  ["aboutshower", "aboutcold", "abouthotwater"],
  ["aboutshower", "aboutheating", "abouthotwater"],
  ["aboutbedroom", "aboutcold", "aboutheating"],
  ["aboutlivingroom", "aboutcold", "aboutheating"],
  ["aboutnight", "aboutcold", "aboutheating"],
  ["aboutclothes", "aboutwash", "aboutlaundry"],
  ["aboutclothes", "aboutdry", "aboutlaundry"],
  ["aboutchild", "aboutsleep", "aboutcrib"],
  ["aboutdoor", "aboutshut", "aboutlockedout"],
  ["aboutkey", "aboutinside", "aboutlockedout"],
  ["aboutsights", "aboutweather", "aboutsights"],
  ["aboutsights", "aboutchild", "aboutsights"],
  ["aboutstrip", "aboutbedding", "aboutstrip"],
  ["aboutstrip", "aboutbeds", "aboutstrip"]
]
