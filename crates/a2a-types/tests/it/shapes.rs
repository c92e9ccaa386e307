//! The shapes of wire objects as data, JSON of such a shape in all its liberties, and what is canonical of it.

use proptest::{collection::vec, num, option::weighted, prelude::*, sample::select};
use serde_json::{Map, Value, json};

/// What may stand where.
#[derive(Clone)]
pub(crate) enum Shape {
    Text,
    Flag,
    Int,
    Time,
    Bytes,
    /// Any JSON.
    Free,
    /// Any JSON object.
    FreeObject,
    /// One of these names, each with its number.
    Name(&'static [&'static str]),
    List(Box<Self>),
    Map(Box<Self>),
    /// Members by their JSON name; whether each is required.
    Object(Vec<(&'static str, Self, bool)>),
    /// This text.
    Const(&'static str),
    /// Any of these shapes.
    Any(Vec<Self>),
    /// Exactly one of these members, besides those of the object.
    OneOf(Vec<(&'static str, Self)>, Vec<(&'static str, Self, bool)>),
}

/// A list of this shape.
pub(crate) fn list(shape: Shape) -> Shape {
    Shape::List(Box::new(shape))
}

/// A map to this shape.
pub(crate) fn map(shape: Shape) -> Shape {
    Shape::Map(Box::new(shape))
}

impl Shape {
    /// JSON that a reader has to take.
    pub(crate) fn json(&self) -> BoxedStrategy<Value> {
        match self {
            Self::Text => text().prop_map(Value::from).boxed(),
            Self::Flag => any::<bool>().prop_map(Value::from).boxed(),
            Self::Int => prop_oneof![
                any::<i32>().prop_map(Value::from),
                any::<i32>().prop_map(|int| Value::from(int.to_string())),
                (-1000..1000).prop_map(|int| Value::from(f64::from(int))),
            ]
            .boxed(),
            Self::Time => prop_oneof![
                select(vec![
                    "2026-03-04T07:15:30.250Z",
                    "2026-03-04T07:15:30Z",
                    "2026-03-04T09:15:30.123456+02:00",
                    "2026-03-04T07:15:30.1",
                    "2026-03-04 07:15:30",
                    "yesterday",
                ])
                .prop_map(Value::from),
                text().prop_map(Value::from),
                any::<i64>().prop_map(Value::from),
            ]
            .boxed(),
            Self::Bytes => vec(any::<u8>(), 0..9).prop_flat_map(base64_forms).prop_map(Value::from).boxed(),
            Self::Free => free(),
            Self::FreeObject => free_object(),
            Self::Name(names) => {
                let count = i64::try_from(names.len()).unwrap();
                prop_oneof![
                    6 => select(*names).prop_map(Value::from),
                    2 => (0..count).prop_map(Value::from),
                    1 => Just(json!("SOMETHING_NEW")),
                    1 => (count..1000).prop_map(Value::from),
                ]
                .boxed()
            }
            Self::List(item) => vec(item.json(), 0..3).prop_map(Value::from).boxed(),
            Self::Map(item) => vec((text(), item.json()), 0..3)
                .prop_map(|entries| Value::Object(entries.into_iter().collect()))
                .boxed(),
            Self::Object(members) => object(members).prop_map(Value::Object).boxed(),
            Self::Const(text) => Just(Value::from(*text)).boxed(),
            Self::Any(shapes) => proptest::strategy::Union::new(shapes.iter().map(Self::json)).boxed(),
            Self::OneOf(choices, members) => (one_of(choices), object(members))
                .prop_map(|(choice, mut object)| {
                    object.extend(choice);
                    Value::Object(object)
                })
                .boxed(),
        }
    }

    /// Whether the value is written as a canonical writer does; says where it is not.
    pub(crate) fn canonical(&self, value: &Value) -> Result<(), String> {
        let is = |canonical: bool| if canonical { Ok(()) } else { Err(value.to_string()) };
        match (self, value) {
            (Self::Text | Self::Time, value) => is(value.is_string()),
            (Self::Flag, value) => is(value.is_boolean()),
            (Self::Int, value) => is(value.is_i64()),
            (Self::Free, _) => Ok(()),
            (Self::FreeObject, value) => is(value.is_object()),
            (Self::Bytes, value) => {
                let text = value.as_str().unwrap_or("?");
                is(text.len() % 4 == 0 && !text.contains(['-', '_']))
            }
            (Self::Name(names), value) => match value.as_str() {
                Some(name) => is(names.contains(&name) || name == "SOMETHING_NEW"),
                None => {
                    is(value.as_i64().is_some_and(|number| number >= i64::try_from(names.len()).unwrap()))
                }
            },
            (Self::List(item), Value::Array(items)) => {
                items.iter().try_for_each(|value| item.canonical(value))
            }
            (Self::Map(item), Value::Object(members)) => {
                members.values().try_for_each(|value| item.canonical(value))
            }
            (Self::Object(members), Value::Object(object)) => canonical_members(members, &[], object),
            (Self::Const(text), value) => is(value == text),
            (Self::Any(shapes), value) => is(shapes.iter().any(|shape| shape.canonical(value).is_ok())),
            (Self::OneOf(choices, members), Value::Object(object)) => {
                let chosen = choices.iter().filter(|(name, _)| object.contains_key(*name)).count();
                let is_unknown = object.contains_key("somethingNew");
                if chosen + usize::from(is_unknown) > 1 {
                    return Err(format!("{chosen} of one: {value}"));
                }
                canonical_members(members, choices, object)
            }
            (Self::List(_) | Self::Map(_) | Self::Object(_) | Self::OneOf(..), value) => {
                Err(value.to_string())
            }
        }
    }
}

fn canonical_members(
    members: &[(&'static str, Shape, bool)],
    choices: &[(&'static str, Shape)],
    object: &Map<String, Value>,
) -> Result<(), String> {
    for (name, value) in object {
        if !choices.is_empty() && matches!(name.as_str(), "somethingNew" | "unknownMember") {
            continue;
        }
        let choice = choices.iter().find(|(known, _)| known == name).map(|(_, shape)| shape);
        let member = members.iter().find(|(known, ..)| known == name).map(|(_, shape, _)| shape);
        let shape = choice.or(member).ok_or_else(|| format!("unknown member {name}"))?;
        shape.canonical(value).map_err(|error| format!("{name}: {error}"))?;
    }
    for (name, _, required) in members {
        if *required && !object.contains_key(*name) {
            return Err(format!("{name} is missing"));
        }
    }
    Ok(())
}

/// Some of the members, in either spelling or as `null`, and perhaps one that nobody knows.
fn object(members: &[(&'static str, Shape, bool)]) -> BoxedStrategy<Map<String, Value>> {
    let member = |(name, shape, _): &(&'static str, Shape, bool)| {
        let value = prop_oneof![9 => shape.json(), 1 => Just(Value::Null)];
        weighted(0.6, (spelling(name), value)).boxed()
    };
    let members: Vec<_> = members.iter().map(member).collect();
    (members, weighted(0.1, free()))
        .prop_map(|(members, unknown)| {
            let unknown = unknown.map(|value| ("unknownMember".to_owned(), value));
            members.into_iter().flatten().chain(unknown).collect()
        })
        .boxed()
}

/// One choice, perhaps beside another that is `null`; or one that nobody knows; or none.
fn one_of(choices: &[(&'static str, Shape)]) -> BoxedStrategy<Map<String, Value>> {
    let names: Vec<&'static str> = choices.iter().map(|(name, _)| *name).collect();
    let known: Vec<_> = choices
        .iter()
        .map(|(name, shape)| (spelling(name), shape.json()).prop_map(|member| vec![member]).boxed())
        .collect();
    let known = (proptest::strategy::Union::new(known), weighted(0.2, select(names))).prop_map(
        |(mut members, other)| {
            // `data` alone may hold `null`.
            if let Some(name) = other.filter(|name| *name != "data" && *name != members[0].0) {
                members.push((name.to_owned(), Value::Null));
            }
            members
        },
    );
    let unknown = free().prop_map(|value| vec![("somethingNew".to_owned(), value)]);
    prop_oneof![8 => known, 1 => unknown, 1 => Just(vec![])]
        .prop_map(|members| {
            let set = members.iter().any(|(_, value)| !value.is_null());
            // With nothing else set, a choice that is `null` says the same as none, but for `data`.
            members.into_iter().filter(|(name, _)| set || name == "data").collect()
        })
        .boxed()
}

/// The name as it is, or in snake case.
fn spelling(name: &'static str) -> BoxedStrategy<String> {
    let snake = name.chars().fold(String::new(), |mut snake, c| {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
        snake
    });
    prop_oneof![4 => Just(name.to_owned()), 1 => Just(snake)].boxed()
}

fn text() -> BoxedStrategy<String> {
    prop_oneof![
        1 => Just(String::new()),
        3 => "[a-z]{1,6}",
        1 => "\\PC{0,6}",
        1 => select(vec!["\u{0}\n\"\\/", "\u{2028}\u{1f600}", "TASK_STATE_WORKING", "7", "null"]).prop_map(str::to_owned),
    ]
    .boxed()
}

/// Any JSON.
pub(crate) fn free() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (num::f64::NORMAL | num::f64::ZERO).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((text(), inner), 0..3).prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
    .boxed()
}

fn free_object() -> BoxedStrategy<Value> {
    vec((text(), free()), 0..3).prop_map(|entries| Value::Object(entries.into_iter().collect())).boxed()
}

/// Either alphabet, with padding or without.
fn base64_forms(bytes: Vec<u8>) -> BoxedStrategy<String> {
    let part = serde_json::to_value(a2a_types::Part::raw(bytes)).unwrap();
    let standard = part["raw"].as_str().unwrap().to_owned();
    let url_safe = standard.replace('+', "-").replace('/', "_");
    let forms = vec![
        standard.trim_end_matches('=').to_owned(),
        url_safe.trim_end_matches('=').to_owned(),
        url_safe,
        standard,
    ];
    select(forms).boxed()
}
