//! Files as content.

use a2a_agent::{AttachError, AttachFile as _, DataBlock, Source};

#[test]
fn a_file_becomes_a_named_block_of_its_media_type() {
    let folder = tempfile::tempdir().unwrap();
    for (name, media_type) in
        [("dot.png", "image/png"), ("notes.txt", "text/plain"), ("blob", "application/octet-stream")]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, [1, 2, 3]).unwrap();
        let block = DataBlock::from_path(&path).unwrap();
        let Source::Base64(source) = block.source else { panic!("{:?}", block.source) };
        assert_eq!((source.data.as_str(), source.media_type.as_str()), ("AQID", media_type));
        assert_eq!(block.name.as_deref(), Some(name));
    }
}

#[test]
fn what_cannot_be_read_or_is_too_large_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big");
    std::fs::write(&path, [0; 10]).unwrap();
    DataBlock::from_path_within(&path, 10).unwrap();
    let error = DataBlock::from_path_within(&path, 9).unwrap_err();
    assert!(matches!(error, AttachError::TooLarge { limit: 9, .. }));
    assert!(error.to_string().contains("big") && error.to_string().contains("9 bytes"));

    let error = DataBlock::from_path(folder.path().join("none")).unwrap_err();
    assert!(matches!(error, AttachError::Read { .. }));
    DataBlock::from_path(folder.path()).unwrap_err();
}
