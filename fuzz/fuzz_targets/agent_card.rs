//! Cards of every version: no panic, not in validation either, and what was read is written so that it reads the same
//! again, beside members of 0.3 too.
#![no_main]

use a2a_types::{AgentCard, from_slice, from_str, v03};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(card) = from_slice::<AgentCard>(bytes) {
        check(&card);
    }
    if let Some(card) = std::str::from_utf8(bytes).ok().and_then(|text| v03::read_card(text).ok()) {
        check(&card);
        if let Some(legacy) = v03::LegacyCard::new(&card) {
            let text = serde_json::to_string(&legacy).expect("a card that was read can be written");
            let settled = v03::read_card(&text).expect("what was written can be read");
            let again = v03::LegacyCard::new(&settled).expect("it has an interface of 0.3");
            assert_eq!(serde_json::to_string(&again).expect("written once already"), text);
        }
    }
});

fn check(card: &AgentCard) {
    let issues = card.validate();
    let text = serde_json::to_string(card).expect("a card that was read can be written");
    let again: AgentCard = from_str(&text).expect("what was written can be read");
    assert_eq!(&again, card, "{text}");
    assert_eq!(again.validate(), issues);

    let dual = serde_json::to_string(&v03::DualCard::new(card)).expect("a card that was read can be written");
    assert_eq!(&from_str::<AgentCard>(&dual).expect("what was written can be read"), card, "{dual}");
}
