//! The plan of a trip, as text.

use std::fmt::Write as _;

use super::trip::{Trip, Wish};

/// The name of the plan: one line.
pub(crate) fn title(trip: &Trip, place: &str) -> String {
    let length = match trip.days.unwrap_or(DEFAULT_DAYS) {
        1 => "A day".to_owned(),
        2 => "A weekend".to_owned(),
        7 => "A week".to_owned(),
        days => format!("{days} days"),
    };
    let wishes: Vec<&str> = trip.wishes.iter().map(|wish| wish.name()).collect();
    match wishes.as_slice() {
        [] => format!("{length} in {place}"),
        wishes => format!("{length} in {place}, {}", wishes.join(" and ")),
    }
}

/// The plan: a title, a paragraph for every day, and a last one of advice. The same trip gives the same plan.
pub(crate) fn write(trip: &Trip, place: &str) -> String {
    let mut text = format!("{}\n", title(trip, place));
    let mut pick = Picker::new(place);
    let days = trip.days.unwrap_or(DEFAULT_DAYS);
    for day in 1..=days {
        let morning = if day == 1 { ARRIVALS } else { MORNINGS };
        let afternoon =
            trip.wishes.iter().map(|wish| for_wish(*wish)).nth((day - 1) % trip.wishes.len().max(1));
        let morning = pick.one_of(morning);
        let afternoon = pick.one_of(afternoon.unwrap_or(AFTERNOONS));
        let evening = pick.one_of(if day == days { FAREWELLS } else { EVENINGS });
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\nDay {day}. In the morning, {morning}. In the afternoon, {afternoon}. In the evening, {evening}.\n"
        );
    }
    let advice: Vec<&str> = trip.wishes.iter().map(|wish| advice(*wish)).collect();
    let advice = if advice.is_empty() { GENERAL_ADVICE.to_owned() } else { advice.join(" ") };
    let _ = write!(text, "\nBefore you go to {place}: {advice}\n");
    text
}

/// Chooses in turn, beginning at a place that depends on the seed.
struct Picker {
    next: usize,
}

impl Picker {
    fn new(seed: &str) -> Self {
        Self { next: seed.bytes().fold(7, |sum, byte| (sum * 31 + usize::from(byte)) % 1009) }
    }

    fn one_of(&mut self, choices: &[&'static str]) -> &'static str {
        self.next = (self.next * 31 + 7) % 1009;
        choices.get(self.next % choices.len().max(1)).copied().unwrap_or_default()
    }
}

/// Days of a trip whose length was not said: a weekend.
const DEFAULT_DAYS: usize = 2;

const ARRIVALS: &[&str] = &[
    "drop your bags and walk through the old streets around the centre, with coffee on the way",
    "arrive without a plan: find a market, buy fruit, and watch the place wake up",
    "take the slow way in from the station, along the water if there is any",
];
const MORNINGS: &[&str] = &[
    "get up early and see the best-known sight before everyone else does",
    "rent bicycles and follow the river, a lake or a canal as far as breakfast lasts",
    "take a local bus to its last stop and walk back",
    "join a guided walk and ask the guide where they would go alone",
];
const AFTERNOONS: &[&str] = &[
    "pick one museum, not three, and leave while you still like it",
    "look for a viewpoint and stay for the light",
    "sit in a garden or a tea house and write the postcards",
    "wander through the quarter where students live",
];
const EVENINGS: &[&str] = &[
    "eat where the menu is short and the room is full",
    "walk along the lights and stop for a bowl of noodles or whatever the place does instead",
    "hear some music, in a hall or in the street",
];
const FAREWELLS: &[&str] = &[
    "have a last dinner somewhere you passed on the first day, then catch the train home",
    "buy something small to eat for the way back and leave before you are tired",
    "watch the sun go down once more, and go home with a reason to return",
];
const GENERAL_ADVICE: &str = "book the first night, leave the rest open, and check what is closed on Mondays. Comfortable shoes decide more \
     than the weather does.";

fn for_wish(wish: Wish) -> &'static [&'static str] {
    match wish {
        Wish::Kids => &[
            "go to a playground the locals use, then to the aquarium or the zoo, with a long ice-cream stop",
            "take a boat or a cable car: children like it, and parents can sit",
            "visit a science museum where everything may be touched",
        ],
        Wish::Indoors => &[
            "spend the time in the city museum and its café",
            "go from one covered market to the next, and stay dry",
            "book a cooking class or a workshop",
        ],
        Wish::Budget => &[
            "use the free hours of the museum and picnic in the park",
            "follow a self-guided walk through the old town; it costs nothing",
            "swim in a public pool or bathe at the beach",
        ],
        Wish::Food => &[
            "eat your way through the street stalls, small portions only",
            "take lunch at the restaurant that everybody has an opinion about",
            "visit a producer of whatever the region is known for, and taste it",
        ],
        Wish::Relaxed => &[
            "do one thing and do it slowly: a bath, a bench, a book",
            "take a nap, and then a walk without a map",
            "stay in the park until the light changes",
        ],
        Wish::Nature => &[
            "hike the nearest hill and come down by another path",
            "rent a rowing boat or a kayak",
            "take the train two stops out and walk through the woods",
        ],
    }
}

fn advice(wish: Wish) -> &'static str {
    match wish {
        Wish::Kids => "plan half of what you would plan alone, and carry snacks.",
        Wish::Indoors => "reserve tickets with a time, so that nobody queues in the rain.",
        Wish::Budget => "a day ticket for buses and trams pays for itself by noon.",
        Wish::Food => "reserve one table and leave every other meal to chance.",
        Wish::Relaxed => "leave one half-day empty, and keep it so.",
        Wish::Nature => "take water, a map that works offline, and a layer more than you think.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trip(text: &str) -> (Trip, String) {
        let mut trip = Trip::default();
        trip.hear(text, false);
        let place = trip.place.clone().unwrap();
        (trip, place)
    }

    #[test]
    fn a_plan_has_a_paragraph_for_every_day() {
        let (trip, place) = trip("Five days in Oslo");
        let plan = write(&trip, &place);
        assert_eq!(plan.matches("\nDay ").count(), 5);
        assert!(plan.starts_with("5 days in Oslo\n"), "{plan}");
        assert!(plan.ends_with('\n') && !plan.contains("  "), "{plan}");
    }

    #[test]
    fn the_same_trip_gives_the_same_plan_and_another_another() {
        let (hangzhou, place) = trip("A weekend in Hangzhou");
        assert_eq!(write(&hangzhou, &place), write(&hangzhou, &place));
        let (oslo, other) = trip("A weekend in Oslo");
        assert_ne!(
            write(&hangzhou, &place).replace("Hangzhou", ""),
            write(&oslo, &other).replace("Oslo", "")
        );
    }

    #[test]
    fn wishes_change_the_plan() {
        let (mut trip, place) = trip("A weekend in Hangzhou");
        let before = write(&trip, &place);
        trip.hear("Make it kid-friendly.", false);
        let after = write(&trip, &place);
        assert!(after.starts_with("A weekend in Hangzhou, kid-friendly\n"), "{after}");
        assert!(after.contains("snacks") && !before.contains("snacks"), "{after}");
    }
}
