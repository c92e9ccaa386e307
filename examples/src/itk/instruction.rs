//! The instructions of the kit: four protobuf messages, read by hand.

/// What an agent is to do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Instruction {
    CallAgent(CallAgent),
    ReturnResponse { response: String, hold_task: bool },
    Steps(Vec<Self>),
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CallAgent {
    pub(super) transport: String,
    pub(super) agent_card_uri: String,
    /// For the other agent, as it came.
    pub(super) instruction: Vec<u8>,
    pub(super) streaming: bool,
    pub(super) behavior: Behavior,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Behavior {
    #[default]
    SendMessage,
    PushNotification {
        url: String,
    },
    Resubscribe,
}

impl Instruction {
    /// Reads an instruction; `None` if it is none.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        Self::decode_at(bytes, 0)
    }

    /// Whether the task is to be held when its answer is known.
    pub(super) fn holds(&self) -> bool {
        match self {
            Self::ReturnResponse { hold_task, .. } => *hold_task,
            Self::Steps(steps) => steps.iter().any(Self::holds),
            Self::CallAgent(_) => false,
        }
    }

    fn decode_at(bytes: &[u8], depth: usize) -> Option<Self> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut instruction = None;
        for field in Fields(bytes) {
            match field? {
                (1, Value::Bytes(call)) => instruction = Some(Self::CallAgent(CallAgent::decode(call)?)),
                (2, Value::Bytes(answer)) => {
                    let (mut response, mut hold_task) = (String::new(), false);
                    for field in Fields(answer) {
                        match field? {
                            (1, Value::Bytes(text)) => response = string(text)?,
                            (2, Value::Number(number)) => hold_task = number != 0,
                            _ => {}
                        }
                    }
                    instruction = Some(Self::ReturnResponse { response, hold_task });
                }
                (3, Value::Bytes(series)) => {
                    let mut steps = Vec::new();
                    for field in Fields(series) {
                        if let (1, Value::Bytes(step)) = field? {
                            steps.push(Self::decode_at(step, depth + 1)?);
                        }
                    }
                    instruction = Some(Self::Steps(steps));
                }
                _ => {}
            }
        }
        instruction
    }
}

impl CallAgent {
    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut call = Self::default();
        for field in Fields(bytes) {
            match field? {
                (1, Value::Bytes(text)) => call.transport = string(text)?,
                (2, Value::Bytes(text)) => call.agent_card_uri = string(text)?,
                (3, Value::Bytes(nested)) => call.instruction = nested.to_vec(),
                (4, Value::Number(number)) => call.streaming = number != 0,
                (5, Value::Bytes(_)) => call.behavior = Behavior::SendMessage,
                (6, Value::Bytes(push)) => {
                    let url = Fields(push).flatten().find_map(|field| match field {
                        (1, Value::Bytes(text)) => string(text),
                        _ => None,
                    });
                    call.behavior = Behavior::PushNotification { url: url.unwrap_or_default() };
                }
                (7, Value::Bytes(_)) => call.behavior = Behavior::Resubscribe,
                _ => {}
            }
        }
        Some(call)
    }
}

/// The fields of a message; `None` where it is malformed.
struct Fields<'a>(&'a [u8]);

enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Iterator for Fields<'a> {
    type Item = Option<(u64, Value<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field)
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self) -> Option<(u64, Value<'a>)> {
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Number(self.varint()?),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                let (bytes, rest) = self.0.split_at_checked(length)?;
                self.0 = rest;
                Value::Bytes(bytes)
            }
            _ => return None,
        };
        Some((key >> 3, value))
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

fn string(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

const MAX_DEPTH: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_read() {
        let hello = b"\x12\x07\x0a\x05hello";
        let expect = Instruction::ReturnResponse { response: "hello".to_owned(), hold_task: false };
        assert_eq!(Instruction::decode(hello), Some(expect.clone()));

        let held = b"\x12\x04\x0a\x00\x10\x01";
        assert!(Instruction::decode(held).unwrap().holds());

        let series = [b"\x1a\x0d\x0a\x09".as_slice(), hello, b"\x10\x01"].concat();
        assert_eq!(Instruction::decode(&series), Some(Instruction::Steps(vec![expect])));

        let call =
            [b"\x0a\x20\x0a\x07jsonrpc\x12\x08http://x\x1a\x09".as_slice(), hello, b"\x20\x01"].concat();
        let Some(Instruction::CallAgent(call)) = Instruction::decode(&call) else { panic!("{call:?}") };
        assert_eq!((call.transport.as_str(), call.agent_card_uri.as_str()), ("jsonrpc", "http://x"));
        assert_eq!((call.instruction.as_slice(), call.streaming), (hello.as_slice(), true));
    }

    #[test]
    fn what_is_no_instruction_is_none() {
        for bytes in [b"".as_slice(), b"\xff", b"\x12\x7f\x00", b"\x08\x01", b"hello world", &[0xff; 20]] {
            assert_eq!(Instruction::decode(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn nesting_has_a_limit() {
        let nested = |levels: usize| {
            let mut bytes = b"\x12\x00".to_vec();
            for _ in 0..levels {
                for key in [0x0a, 0x1a] {
                    let (low, high) = (bytes.len() as u8 | 0x80, (bytes.len() >> 7) as u8);
                    bytes = [&[key, low, high], bytes.as_slice()].concat();
                }
            }
            Instruction::decode(&bytes)
        };
        assert!(nested(MAX_DEPTH).is_some());
        assert!(nested(MAX_DEPTH + 1).is_none());
    }
}
