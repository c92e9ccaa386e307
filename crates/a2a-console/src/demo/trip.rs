//! What is known of a trip, from what the user has said.

/// A trip that takes shape, message by message.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Trip {
    pub(crate) place: Option<String>,
    pub(crate) days: Option<usize>,
    pub(crate) wishes: Vec<Wish>,
}

/// What a trip should be like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    Kids,
    Indoors,
    Budget,
    Food,
    Relaxed,
    Nature,
}

impl Wish {
    const ALL: [Self; 6] = [Self::Kids, Self::Indoors, Self::Budget, Self::Food, Self::Relaxed, Self::Nature];

    /// How a plan with this wish is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kids => "kid-friendly",
            Self::Indoors => "mostly indoors",
            Self::Budget => "easy on the budget",
            Self::Food => "for people who like to eat",
            Self::Relaxed => "unhurried",
            Self::Nature => "close to nature",
        }
    }

    /// Beginnings of words that tell the wish.
    fn stems(self) -> &'static [&'static str] {
        match self {
            Self::Kids => &["kid", "child", "famil", "toddler"],
            Self::Indoors => &["indoor", "rain", "museum"],
            Self::Budget => &["cheap", "budget", "afford", "inexpens", "free"],
            Self::Food => &["food", "eat", "restaurant", "vegetarian", "vegan", "cuisine"],
            Self::Relaxed => &["relax", "slow", "quiet", "calm", "unhurried"],
            Self::Nature => &["nature", "outdoor", "hik", "mountain", "forest"],
        }
    }
}

/// Longest plan, in days.
pub(crate) const MAX_DAYS: usize = 14;

impl Trip {
    /// Takes in what the user says. `asked` says that it answers the question for a place.
    pub(crate) fn hear(&mut self, text: &str, asked: bool) {
        let words: Vec<&str> = text.split_whitespace().collect();
        if let Some(place) = named_place(&words).or_else(|| chinese_place(text)) {
            self.place = Some(place);
        } else if let Some(place) = bare_place(&words, asked) {
            self.place = Some(place);
        }
        let place = self.place.as_deref().unwrap_or_default().to_lowercase();
        let is_of_place = |word: &str| place.split_whitespace().any(|part| part == word);
        let lower: Vec<String> = words
            .iter()
            .flat_map(|word| word.split(['-', '/']))
            .map(|word| bare(word).to_lowercase())
            .filter(|word| !is_of_place(word))
            .collect();
        self.days = days(&lower).or(self.days);
        for wish in Wish::ALL {
            let told = lower.iter().any(|word| wish.stems().iter().any(|stem| word.starts_with(stem)));
            if told && !self.wishes.contains(&wish) {
                self.wishes.push(wish);
            }
        }
    }
}

/// A place after a word that leads to one: `to Hangzhou`, `in New York City`, `visit the Isle of Skye`.
fn named_place(words: &[&str]) -> Option<String> {
    (1..words.len()).rev().find_map(|start| {
        let before = words.get(start - 1)?;
        let leads = LEADS.contains(&before.to_lowercase().as_str());
        leads.then(|| place_at(words.get(start..)?, false)).flatten()
    })
}

/// A text that is nothing but a place, such as an answer to the question for one.
fn bare_place(words: &[&str], asked: bool) -> Option<String> {
    let place = place_at(words, asked)?;
    let rest = words.len().saturating_sub(place.split(' ').count());
    (asked || rest <= 1).then_some(place)
}

/// The place that the words begin with: capitalised words, with small ones between them. Without capitals the
/// first word, where any word will do.
fn place_at(words: &[&str], any: bool) -> Option<String> {
    let mut place: Vec<&str> = Vec::new();
    let mut small: Vec<&str> = Vec::new();
    let words = match words {
        [first, rest @ ..] if ARTICLES.contains(&first.to_lowercase().as_str()) => rest,
        words => words,
    };
    for word in words {
        let name = bare(word);
        let lower = name.to_lowercase();
        if name.is_empty() || (place.is_empty() && NO_PLACES.contains(&lower.as_str())) {
            break;
        }
        if is_capitalised(name) {
            place.append(&mut small);
            place.push(name);
        } else if !place.is_empty() && PARTICLES.contains(&lower.as_str()) {
            small.push(name);
        } else {
            if place.is_empty() && name.chars().all(char::is_alphabetic) {
                place.push(name);
            }
            break;
        }
        if word.ends_with(['.', ',', '!', '?', ';', ':']) {
            break;
        }
    }
    let found = place.first()?;
    if !any && !is_capitalised(found) && found.chars().count() < 3 {
        return None;
    }
    let place = place.join(" ");
    Some(if is_capitalised(&place) { place } else { capitalised(&place) })
}

/// `去杭州的…`, `到北京玩`: the place between a verb of motion and what follows.
fn chinese_place(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(['去', '到'])?;
    let end = rest.find(['的', '玩', '旅', '看', '，', '。', ',', ' ', '！', '？', '一', '两', '三']);
    let place = rest.get(..end.unwrap_or(rest.len()))?.trim();
    let is_name = !place.is_empty() && place.chars().count() <= 12 && !place.is_ascii();
    is_name.then(|| place.to_owned())
}

fn days(words: &[String]) -> Option<usize> {
    words.iter().enumerate().find_map(|(index, word)| match word.as_str() {
        "weekend" | "周末" => Some(2),
        "week" => Some(7),
        "day" | "days" | "nights" => {
            let number = words.get(index.checked_sub(1)?)?;
            let number = NUMBERS.iter().position(|name| name == number).or_else(|| number.parse().ok())?;
            Some(number.clamp(1, MAX_DAYS))
        }
        _ => None,
    })
}

/// The word without what stands around it, and without a possessive ending.
fn bare(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// Whether the word begins like a name: letters without case count.
fn is_capitalised(word: &str) -> bool {
    word.chars().next().is_some_and(|c| c.is_alphabetic() && !c.is_lowercase())
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Words before a place.
const LEADS: &[&str] =
    &["to", "in", "at", "visit", "visiting", "around", "see", "exploring", "explore", "for", "about"];
/// Words before the name itself.
const ARTICLES: &[&str] = &["the", "let's", "maybe", "perhaps"];
/// Small words within names.
const PARTICLES: &[&str] = &[
    "of", "de", "da", "do", "del", "di", "la", "le", "les", "el", "los", "las", "upon", "am", "an", "der",
    "den", "im", "sur", "and", "the", "y", "bei", "van", "on", "aux",
];
/// Words that are no places, though they stand where places do.
const NO_PLACES: &[&str] = &[
    "a",
    "an",
    "any",
    "anywhere",
    "april",
    "august",
    "autumn",
    "be",
    "december",
    "do",
    "eat",
    "everyone",
    "fall",
    "february",
    "for",
    "friday",
    "go",
    "have",
    "hello",
    "help",
    "hey",
    "hi",
    "i",
    "it",
    "january",
    "july",
    "june",
    "kids",
    "make",
    "march",
    "may",
    "me",
    "monday",
    "my",
    "next",
    "no",
    "not",
    "november",
    "october",
    "ok",
    "one",
    "our",
    "plan",
    "please",
    "saturday",
    "see",
    "september",
    "somewhere",
    "spring",
    "stay",
    "summer",
    "sunday",
    "thank",
    "thanks",
    "that",
    "them",
    "this",
    "three",
    "thursday",
    "travel",
    "tuesday",
    "two",
    "us",
    "visit",
    "we",
    "wednesday",
    "weekend",
    "what",
    "where",
    "which",
    "who",
    "why",
    "how",
    "winter",
    "yes",
    "you",
    "your",
    "their",
    "there",
    "take",
    "spend",
    "get",
    "come",
    "relax",
    "hike",
    "when",
    "can",
    "could",
    "would",
    "is",
    "are",
    "add",
    "more",
    "less",
    "with",
    "without",
    "families",
    "children",
    "food",
    "days",
    "nature",
    "trip",
    "cheap",
];
const NUMBERS: &[&str] = &["zero", "one", "two", "three", "four", "five", "six", "seven"];

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(texts: &[&str]) -> Trip {
        let mut trip = Trip::default();
        for text in texts {
            let asked = trip.place.is_none() && text != &texts[0];
            trip.hear(text, asked);
        }
        trip
    }

    #[test]
    fn places_are_found_in_what_people_write() {
        for (text, place) in [
            ("Plan me a weekend trip to Hangzhou.", "Hangzhou"),
            ("Plan a trip to New York City for 3 days", "New York City"),
            ("I want to go to the Isle of Skye, please", "Isle of Skye"),
            ("A week in Rio de Janeiro with kids", "Rio de Janeiro"),
            ("three days in São Paulo", "São Paulo"),
            ("we would like to visit reykjavik in spring", "Reykjavik"),
            ("Kraków", "Kraków"),
            ("Oslo please", "Oslo"),
            ("帮我计划去杭州的周末旅行", "杭州"),
            ("A weekend in 京都", "京都"),
            ("what can I do in Frankfurt am Main?", "Frankfurt am Main"),
        ] {
            assert_eq!(heard(&[text]).place.as_deref(), Some(place), "{text}");
        }
    }

    #[test]
    fn nothing_else_is_a_place() {
        for text in [
            "hi",
            "Hello!",
            "Plan me a trip.",
            "Plan a trip in May",
            "I want to travel",
            "",
            "What can you do for me?",
            "…",
        ] {
            assert_eq!(heard(&[text]).place, None, "{text}");
        }
    }

    #[test]
    fn an_answer_may_be_nothing_but_the_place() {
        for (answer, place) in [
            ("hangzhou", "Hangzhou"),
            ("Let's go to Oslo", "Oslo"),
            ("maybe Kyoto?", "Kyoto"),
            ("Ho Chi Minh City", "Ho Chi Minh City"),
        ] {
            assert_eq!(heard(&["Plan me a trip.", answer]).place.as_deref(), Some(place), "{answer}");
        }
    }

    #[test]
    fn later_messages_change_the_trip() {
        let trip = heard(&[
            "Plan me a weekend trip to Hangzhou.",
            "Make it kid-friendly.",
            "Make it 3 days, and cheap",
        ]);
        assert_eq!(trip.place.as_deref(), Some("Hangzhou"));
        assert_eq!(trip.days, Some(3));
        assert_eq!(trip.wishes, [Wish::Kids, Wish::Budget]);
        assert_eq!(heard(&["Oslo", "A weekend in Bergen instead"]).place.as_deref(), Some("Bergen"));
    }

    #[test]
    fn a_name_is_no_wish() {
        assert_eq!(heard(&["Plan a trip to Rainham"]).wishes, []);
    }

    #[test]
    fn the_length_stays_within_bounds() {
        assert_eq!(heard(&["Oslo for 400 days"]).days, Some(MAX_DAYS));
        assert_eq!(heard(&["Oslo for 0 days"]).days, Some(1));
    }
}
